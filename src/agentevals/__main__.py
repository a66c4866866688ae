"""`python -m agentevals`: the command line, for where no script is on PATH."""

from agentevals.cli import main

if __name__ == "__main__":
    main()
