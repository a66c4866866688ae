"""The pages that GitHub shows of a review: pure functions from a Review to text."""
