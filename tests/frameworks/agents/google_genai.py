"""A chat of Google's GenAI SDK, which calls the tools itself, with one span around each turn."""

import recording  # noqa: F401
import shop
from google import genai
from google.genai import types
from opentelemetry import trace

client = genai.Client(api_key="x", http_options=types.HttpOptions(base_url=shop.MODEL))
tracer = trace.get_tracer("bakery")


def open_conversation(scenario):
    config = types.GenerateContentConfig(
        system_instruction=shop.INSTRUCTIONS, tools=list(shop.TOOLS)
    )
    chat = client.chats.create(model="gemini-2.5-flash", config=config)

    def ask(question):
        with tracer.start_as_current_span("turn"):
            if scenario == "stream":
                list(chat.send_message_stream(question))
            else:
                chat.send_message(question)

    return ask


shop.play(open_conversation)
