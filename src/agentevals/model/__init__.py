"""The nouns that every stage shares, and what is below all of them. Data only."""
