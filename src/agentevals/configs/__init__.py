"""From what people write in a config to a Plan, whatever the dialect."""
