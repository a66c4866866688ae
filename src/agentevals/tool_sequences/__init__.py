"""Which tools an agent called, in which order and with which arguments, as AgentV judges it."""
