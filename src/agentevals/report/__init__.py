"""Everything that people and programs are shown of a run."""
