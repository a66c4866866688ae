"""What rules know about the world: licences, names, versions, locks, programs, schemas."""
