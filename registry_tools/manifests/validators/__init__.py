"""Checks of single values: licences, versions, paths, locks, programs, schemas."""
