"""The command line. To add a command: write a module with `app` or a function, then list it here."""
