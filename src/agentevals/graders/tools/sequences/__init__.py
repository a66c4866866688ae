"""Which tools an agent called, in which order and with which arguments, as AgentV judges it."""

UNORDERED = (
    "the recording does not say in which order the tools were called; record the messages as well"
)
