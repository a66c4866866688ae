"""From named files to records, and from pieces to traces; no format is known here."""
