"""How results are put before people: safe text, widths, aligned calls, wording."""
