"""Reading what people write, with the place of every value, and keeping what outgrows memory."""
