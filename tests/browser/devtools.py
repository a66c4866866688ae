"""A page in a headless Chromium that a test can use as people do: keys, clicks, print, themes."""

import base64
import itertools
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser import chromium

_SECONDS = 120
_KEYS = {
    "Enter": (13, "\r"),
    "Escape": (27, ""),
    "Tab": (9, ""),
    "ArrowDown": (40, ""),
    "ArrowUp": (38, ""),
    "PageDown": (34, ""),
    "Home": (36, ""),
    "End": (35, ""),
}


class Page:
    """One tab, over the pipe of the DevTools protocol."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._numbers = itertools.count(1)
        self._buffer = b""
        self.problems: list[str] = []  # what the console complained about
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        attached = self._send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    _session = ""

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the tab."""
        return self._send(method, **params)

    def open(self, path: Path, *, width: int = 1_200, height: int = 900) -> None:
        """Open a file, and wait until its cases are drawn."""
        self.resize(width, height)
        self.call("Page.navigate", url=path.as_uri())
        self.wait("document.querySelector('h1') && !document.body.innerText.includes('Reading')")

    @contextmanager
    def add_script(self, script: str) -> Iterator[None]:
        """Run a script in every page that is opened meanwhile, before its own."""
        added = self.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
        yield
        self.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added)

    def visit(self, address: str, *, width: int = 1_000) -> str:
        """Return what became of a page once its scripts have run."""
        self.resize(width, 1_200)
        self.evaluate("window.isLeft = true")
        self.call("Page.navigate", url=address)
        self.wait("!window.isLeft && document.readyState == 'complete'")
        written = self.evaluate("document.documentElement.outerHTML")
        assert isinstance(written, str)
        return written

    def resize(self, width: int, height: int) -> None:
        """Show as many pixels of the page."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def evaluate(self, script: str) -> Any:
        """Return what an expression comes to."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _SECONDS
        while not self.evaluate(f"Boolean({condition})"):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            code, text = _KEYS.get(key, (ord(key.upper()[0]), key))
            known = {"key": key, "windowsVirtualKeyCode": code}
            typed = {"text": text} if text else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", **known, **typed)
            self.call("Input.dispatchKeyEvent", type="keyUp", **known)
        self.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(go)))")

    def type(self, text: str) -> None:
        """Type a text where the keyboard is."""
        self.call("Input.insertText", text=text)
        self.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(go)))")

    def click(self, selector: str, containing: str = "") -> None:
        """Click on the first element with that text."""
        found = self.evaluate(
            f"(() => {{ const one = [...document.querySelectorAll({json.dumps(selector)})]"
            f".find(e => e.textContent.includes({json.dumps(containing)}));"
            " one?.click(); return Boolean(one) })()"
        )
        assert found, f"no {selector} with {containing!r}"
        self.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(go)))")

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements that are drawn, in their order on the screen."""
        return self.evaluate(
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            ".filter(e => e.getClientRects().length)"
            ".sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)"
            ".map(e => e.innerText.trim())"
        )

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Take a picture of what is on the screen, or of the whole page."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def emulate(self, *, theme: str = "light", media: str = "") -> None:
        """Prefer a theme, and draw for a medium."""
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        session = {"sessionId": self._session} if self._session else {}
        message = json.dumps({"id": number, "method": method, "params": params, **session})
        rest = message.encode() + b"\0"
        while rest:
            rest = rest[os.write(self._to, rest) :]
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            read = os.read(self._from, 2**16)
            assert read, "the browser has ended"
            self._buffer += read
        first, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(first)

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Log.entryAdded":
            self.problems.append(params["entry"]["text"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"]))


@contextmanager
def start() -> Iterator[Page]:
    """Start a Chromium for the time of some tests."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            *("bash", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "bash"),
            *(chromium.program(), *chromium.FLAGS, "--remote-debugging-pipe"),
            *("--no-zygote", f"--user-data-dir={profile}"),
        ]
        browser = subprocess.Popen(
            command,
            pass_fds=(to_read, from_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        try:
            yield Page(to_write, from_read)
        finally:
            browser.terminate()
            browser.wait(_SECONDS)
            os.close(to_write)
            os.close(from_read)
