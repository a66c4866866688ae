"""Statistics for base and head: tests, intervals, and how many cases they need.

Pure functions on numbers. The same input gives the same answer, and swapping base and head gives
its mirror image. Whatever is not a finite number is refused with ValueError.
"""
