"""Spans that tell of the same call of a tool: the agent's, the client's and the server's."""

from agentevals.traces.conventions import Reading


def is_same(outer: Reading, inner: Reading) -> bool:
    """Return whether a span inside of a tool's tells of the same call."""
    if inner.tool and inner.tool == outer.tool:
        return True
    if inner.remote and inner.tool and outer.tool.endswith(inner.tool):
        # an agent may put the name of the server in front
        return not outer.tool.removesuffix(inner.tool)[-1].isalnum()
    return inner.call_id is not None and inner.call_id == outer.call_id


def fill_call(outer: Reading, inner: Reading) -> None:
    """Take what only the inner span knows."""
    outer.tool = outer.tool or inner.tool
    outer.call_id = outer.call_id or inner.call_id
    outer.error = outer.error or inner.error
    outer.args = inner.args if outer.args is None else outer.args
    outer.result = inner.result if outer.result is None else outer.result
