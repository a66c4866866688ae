"""From recorded files to conversations: formats, instrumentations, turns, figures."""
