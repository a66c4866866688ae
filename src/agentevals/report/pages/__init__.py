"""What GitHub shows of a review: pure, a Review goes in and text comes out."""
