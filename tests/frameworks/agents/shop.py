"""The bakery that every agent works for: its tools, and the conversations it is asked for."""

import asyncio
import inspect
import json
import os
import shutil
import signal
import socket
import sys
import time
import traceback
from contextlib import asynccontextmanager

MODEL = os.environ["MODEL_URL"]
INSTRUCTIONS = "You work for a bakery. Use the tools."


def find_order(order_id: int) -> str:
    """Find an order by its number."""
    return json.dumps({"order_id": order_id, "status": "shipped"})


def find_price(item: str) -> str:
    """Find what an item costs."""
    return f"{item}: 4 €"


def cancel_order(order_id: int) -> str:
    """Cancel an order."""
    message = f"order {order_id} does not exist"
    raise ValueError(message)


def remember(note: str) -> None:
    """Remember something about the customer."""


def refund(order_id: int) -> str:
    """Refund an order."""
    return f"order {order_id}: 12 € refunded"


TOOLS = [find_order, find_price, cancel_order, remember]
STATUS = {
    "title": "OrderStatus",
    "type": "object",
    "properties": {"order_id": {"type": "integer"}, "status": {"type": "string"}},
    "required": ["order_id", "status"],
    "additionalProperties": False,
}


def describe(tool) -> dict:
    """The JSON Schema of a tool's arguments."""
    kinds = {int: "integer", str: "string"}
    given = inspect.signature(tool).parameters
    return {
        "type": "object",
        "properties": {name: {"type": kinds[p.annotation]} for name, p in given.items()},
        "required": list(given),
        "additionalProperties": False,
    }


def use(name: str, args: dict) -> str:
    """What a loop of your own tells the model of a tool."""
    tool = next(tool for tool in [*TOOLS, refund] if tool.__name__ == name)
    try:
        return tool(**args) or ""
    except ValueError as error:
        return f"Error: {error}"


def serve(program, *args) -> list[str]:
    """The words that start a server, recorded as the agent is."""
    recorder = shutil.which("opentelemetry-instrument")
    return [*([recorder] if recorder else []), sys.executable, program, *args]


@asynccontextmanager
async def serving(program):
    """Run a server beside the agent, and tell its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = await asyncio.create_subprocess_exec(*serve(program, str(port)))
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            break
        except OSError:
            await asyncio.sleep(0.1)
    yield f"http://127.0.0.1:{port}"
    server.send_signal(signal.SIGINT)
    await server.wait()


def play(open_conversation):
    """Have every scenario: `open_conversation(scenario)` returns what asks a question."""
    asyncio.run(play_all(open_conversation))


async def play_all(open_conversation):
    """The same in an event loop that is already there, with servers around the conversations."""
    for scenario in json.loads(os.environ["SCENARIOS"]):
        began = time.time_ns()
        having = asyncio.ensure_future(_have(open_conversation, scenario))
        await asyncio.wait([having])
        if failure := having.exception():
            traceback.print_exception(failure)
        failed = repr(failure) if failure else ""
        told = {"scenario": scenario["name"], "began": began, "failed": failed}
        print(f"#{json.dumps(told)}", flush=True)
        await asyncio.sleep(0.01)


async def _have(open_conversation, scenario):
    ask = open_conversation(scenario["name"])
    try:
        for question in scenario["questions"]:
            answer = ask(question)
            if inspect.isawaitable(answer):
                await answer
    finally:
        if close := getattr(ask, "close", None):
            await close()
