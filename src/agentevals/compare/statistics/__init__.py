"""Statistics for base and head: tests, intervals, and how many cases they need.

Pure functions on numbers. The same input gives the same answer, and swapping base and head gives
the mirror image of a difference. What is not a finite number is refused with ValueError.
"""
