"""Texts for people: safe text, widths, aligned calls, wording."""
