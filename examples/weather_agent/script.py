"""The scripted model: what it answers, conversation by conversation, turn by turn.

`phoenix` holds a mistake on purpose: the user asks for Fahrenheit, and the model forecasts in
Celsius and forgets the heat warning. The evaluation of this example finds that.
"""

CONVERSATIONS = {
    "paris": [
        {
            "user": "What is the weather in Paris?",
            "calls": [("geocode", {"place": "Paris"}), ("forecast", {"place": "Paris"})],
            "answer": "It is sunny in Paris today, with 24 °C.",
        }
    ],
    "umbrella": [
        {
            "user": "Do I need an umbrella in Bergen tomorrow?",
            "calls": [
                ("geocode", {"place": "Bergen"}),
                ("forecast", {"place": "Bergen", "days": 2}),
            ],
            "answer": "Yes, take an umbrella: rain and 11 °C are expected in Bergen tomorrow.",
        }
    ],
    "picnic": [
        {
            "user": "Is today a good day for a picnic in Lisbon?",
            "calls": [("geocode", {"place": "Lisbon"}), ("forecast", {"place": "Lisbon"})],
            "answer": "Yes, it is sunny in Lisbon today, with 27 °C.",
        },
        {
            "user": "And tomorrow?",
            "calls": [
                ("forecast", {"place": "Lisbon", "days": 2}),
                ("warn", {"place": "Lisbon", "about": "thunderstorm"}),
            ],
            "answer": "Better not: a thunderstorm is expected in Lisbon tomorrow. I warned you.",
        },
    ],
    "phoenix": [
        {
            "user": "How hot will it get in Phoenix today, in Fahrenheit?",
            "calls": [
                ("geocode", {"place": "Phoenix"}),
                ("forecast", {"place": "Phoenix", "days": 1, "unit": "celsius"}),
            ],
            "answer": "It will be sunny in Phoenix today, with 41 degrees.",
        }
    ],
}


class ScriptedModel:
    """Wants one tool after the other, then answers. Words are its tokens."""

    def __init__(self, turn):
        self.turn = turn
        self.calls = list(turn["calls"])

    def reply(self, messages):
        if self.calls:
            name, arguments = self.calls.pop(0)
            number = len(self.turn["calls"]) - len(self.calls)
            part = {
                "type": "tool_call",
                "id": f"call_{len(messages)}_{number}",
                "name": name,
                "arguments": arguments,
            }
        else:
            part = {"type": "text", "content": self.turn["answer"]}
        reply = {"role": "assistant", "parts": [part]}
        return reply, {"input_tokens": words(messages), "output_tokens": words([reply])}


def words(messages):
    return sum(len(str(message).split()) for message in messages)
