"""Builders that tests share."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
