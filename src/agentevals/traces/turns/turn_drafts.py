"""The spans of a trace that make up each turn, and the role of each span."""

from collections.abc import Container, Sequence

import msgspec
from msgspec.structs import replace

from agentevals.model.conversations import Span, Trace
from agentevals.traces import instrumentations
from agentevals.traces.conventions import Kind, Reading, read_span
from agentevals.traces.turns.cut_span_values import Loss, drop_lost
from agentevals.traces.turns.span_tree import SpanTree, assign, fill_call, is_same, mark_torn

_AGENTIC = frozenset({Kind.AGENT, Kind.WORKFLOW})
ASIDE = frozenset({Kind.PREPARATION, Kind.SERVICE})
_WITHOUT_PLACE = ASIDE | {Kind.NONE, Kind.STEP}


class Step(msgspec.Struct, eq=False, gc=False):
    """A request to a model, or the use of a tool: one span, or several that mean the same."""

    reading: Reading
    start_ns: int
    end_ns: int
    failed: bool = False
    under_tool: bool = False
    agent: str = ""
    outer: "Step | None" = None
    inner: int = 0
    failed_inner: int = 0  # of them: attempts that a client has made again
    uses_tools: bool = False
    speaker: Span | None = None  # the outermost agent below that of the turn

    def stretch(self, other: "Step") -> None:
        """Take the time of another span that means the same, and what only it says."""
        self.agent = self.agent or other.agent
        self.start_ns = min(self.start_ns, other.start_ns)
        self.end_ns = max(self.end_ns, other.end_ns)
        self.failed = self.failed or other.failed


class Draft(msgspec.Struct, eq=False, gc=False):
    """The spans of one turn: those below its anchor that do not belong to another turn."""

    anchor: Span
    trace_id: str
    reading: Reading | None = None
    agentic: bool = False
    agent: str = ""
    start_ns: int = 0
    end_ns: int = 0
    inferences: list[Step] = []
    tools: list[Step] = []
    steps: list[Step] = []
    torn: str = ""  # why nobody knows whether it is a turn, and whether it is all of one
    is_below_lost: bool = False  # what has called it was not recorded, and may be more of it
    unlimited: str = ""  # how to record what limits of the SDK have taken from its trace
    values: set[str] = set()  # what fills templates, without its key
    is_of_team: bool = False  # it tells others of a team, in traces of their own
    unread_requests: list[Step] = []
    unread_tools: list[Span] = []
    unread_agents: list[Span] = []

    @property
    def order(self) -> tuple[int, str]:
        return self.start_ns, self.anchor.span_id

    def is_turn(self) -> bool:
        """Return whether an agent did, said or failed something, or a model was asked."""
        if self.inferences:
            return True
        if not self.agentic or self.reading is None:
            return False
        said = self.reading.input_messages or self.reading.output_messages
        return bool(self.tools or said or self.anchor.failed)

    def is_orphaned_tool(self) -> bool:
        """Return whether this is a tool of an agent whose span was not recorded."""
        return bool(self.tools and self.anchor.parent_id) and not self.is_turn()


class _Place(msgspec.Struct, eq=False, gc=False):
    """The place of a span: everything above it that matters for its meaning."""

    draft: Draft
    agentic: bool
    inference: Step | None = None
    tool: Step | None = None
    under_tool: bool = False
    agent: str = ""
    speaker: Span | None = None
    has_checks: bool = False


class Sketch(msgspec.Struct, eq=False, gc=False):
    """The turns, kinds and warnings found in a trace."""

    drafts: list[Draft]
    warnings: list[str]
    kinds: set[Kind]
    root_ns: list[int]


def sketch(trace: Trace, echoes: Container[str] = frozenset()) -> Sketch:
    """Walk a trace from its roots down, however deep it is; the `echoes` in it say nothing."""
    trace, loss = drop_lost(trace)
    tree = SpanTree(trace.spans)
    logs = assign(trace) if trace.logs else {}
    found: list[Draft] = []
    places: dict[str, _Place] = {}
    kinds: set[Kind] = set()
    root_ns: list[int] = []
    for span, parent_id in tree.downwards():
        own_logs = logs.get(span.span_id, ()) if logs else ()
        reading = None if span.span_id in echoes else read_span(span, own_logs)
        above = places.get(parent_id)
        if reading is not None:
            if reading.remote and _is_served_apart(span, above):
                reading.kind = Kind.SERVICE
            kinds.add(reading.kind)
        if above is None:
            root_ns.append(span.end_ns - span.start_ns)
        if above is None or (reading is not None and _begins_turn(reading, above)):
            above = _begin_draft(span, reading, trace.trace_id, above.draft if above else None)
            found.append(above.draft)
        places[span.span_id] = _enter(span, reading, above)
    _mark_lost(found, tree, loss)
    return Sketch(found, tree.warnings, kinds, root_ns)


def _mark_lost(found: Sequence[Draft], tree: SpanTree, loss: Loss | None) -> None:
    """Mark what lacks spans above it, and what limits have taken."""
    turns = [draft for draft in found if draft.is_turn()]
    mark_torn(turns, tree)
    for draft in turns:
        draft.is_below_lost = bool(tree.find_top(draft.anchor).parent_id)
        draft.unlimited = loss.remedy if loss else ""
    if loss:
        tree.warnings.append(loss.warning)


def _begins_turn(reading: Reading, above: _Place) -> bool:
    """Return whether an agent's span is the outermost, or a run inside of another by mistake.

    LangChain begins the runs of a batch one after the other, and OpenLLMetry takes each for the
    parent of the next.
    """
    if reading.kind not in _AGENTIC:
        return False
    outer = above.draft.reading
    is_next = reading.is_run and outer is not None and outer.is_run
    return not above.agentic or (is_next and reading.span.parent_id == above.draft.anchor.span_id)


def _is_served_apart(span: Span, above: _Place | None) -> bool:
    """Return whether a server recorded a call in a trace of its own. The caller has the call."""
    if above is None:
        return not span.parent_id
    draft = above.draft
    has_work = draft.inferences or draft.unread_requests
    return not (above.agentic or has_work or draft.anchor.parent_id)


def _begin_draft(span: Span, reading: Reading | None, trace_id: str, outer: Draft | None) -> _Place:
    agentic = reading is not None and reading.kind in _AGENTIC
    draft = Draft(span, trace_id, reading, agentic, "", span.start_ns, span.end_ns)
    if outer is not None:
        draft.unread_agents += outer.unread_agents
        draft.is_of_team = outer.is_of_team
    return _Place(draft, agentic)


def _enter(span: Span, reading: Reading | None, above: _Place) -> _Place:
    """Return the place of what is below this span. A span without a meaning changes nothing."""
    draft = above.draft
    draft.start_ns = min(draft.start_ns, span.start_ns)
    draft.end_ns = max(draft.end_ns, span.end_ns)
    if reading is None or reading.kind in _WITHOUT_PLACE:
        if reading is None or reading.kind is not Kind.STEP:
            _note_unread(span, reading, above)
        _note_values(draft, reading)
        return replace(above, under_tool=True) if reading and reading.checks else above
    if reading.kind is Kind.INFERENCE:
        return _enter_request(span, reading, above)
    if reading.kind is Kind.TOOL:
        return _enter_tool(span, reading, above)
    _name_agent(draft, reading)
    inherited = above.agent if reading.kind is Kind.WORKFLOW else ""
    is_agent = reading.kind is Kind.AGENT
    below = span if is_agent and span is not draft.anchor else None
    return _Place(
        draft,
        agentic=True,
        under_tool=above.under_tool or (is_agent and above.has_checks),
        agent=reading.agent or inherited,
        speaker=above.speaker or below,
        has_checks=reading.has_checks,
    )


def _note_values(draft: Draft, reading: Reading | None) -> None:
    """Remember the steps of a workflow, and what fills a template."""
    if reading is not None and reading.kind is Kind.STEP:
        draft.steps.append(Step(reading, reading.span.start_ns, reading.span.end_ns))
    if reading is not None and reading.keyless:
        draft.values.add(reading.keyless)
    draft.is_of_team = draft.is_of_team or (reading is not None and reading.is_of_team)


def _name_agent(draft: Draft, reading: Reading) -> None:
    """Give a turn the name of its agent, or of the first one below a span that only holds agents.

    An agent, or a graph, that has asked the model itself is not the next one, although it has no
    name.
    """
    own = draft.reading
    asked = own is not reading and any(step.speaker is None for step in draft.inferences)
    if not asked or own is None:
        draft.agent = draft.agent or reading.agent


def _note_unread(span: Span, reading: Reading | None, above: _Place) -> None:
    """Remember a span that looks like a tool's or a model's, though it cannot be understood."""
    if reading is not None and (reading.ignored or reading.kind in ASIDE):
        return
    if instrumentations.is_tool(span):
        if above.tool is None or instrumentations.read_tool_name(span):  # else it is of that tool
            above.draft.unread_tools.append(span)
    elif instrumentations.names_its_kind(span) and not instrumentations.is_unknown_request(span):
        return
    elif instrumentations.is_request(span) or (
        reading and reading.input_sources + reading.output_sources
    ):
        step = Step(
            reading or Reading(span), span.start_ns, span.end_ns, span.failed, above.under_tool
        )
        above.draft.unread_requests.append(step)
    elif reading is None and instrumentations.is_agent(span):
        above.draft.unread_agents.append(span)


def _enter_request(span: Span, reading: Reading, above: _Place) -> _Place:
    if reading.fetches and (asked := _find_fetched(reading, above.draft.inferences)):
        asked.stretch(Step(reading, span.start_ns, span.end_ns))
        asked.reading.fill_output(reading.output_messages)
        return above
    step = Step(
        reading,
        span.start_ns,
        span.end_ns,
        span.failed,
        above.under_tool,
        reading.agent or above.agent,
        speaker=above.speaker,
    )
    if above.inference is not None:
        step.outer = above.inference
        step.outer.inner += 1
        step.outer.failed_inner += step.failed
    for each in reading.before:
        before = Step(each, span.start_ns, span.start_ns, under_tool=above.under_tool)
        above.draft.inferences.append(before)
    above.draft.inferences.append(step)
    return replace(above, inference=step)


def _find_fetched(reading: Reading, requests: Sequence[Step]) -> Step | None:
    """Return the request in the background whose answer a later one has got."""
    if not reading.response_id:
        return None
    return next((r for r in requests if r.reading.response_id == reading.response_id), None)


def _enter_tool(span: Span, reading: Reading, above: _Place) -> _Place:
    """A tool inside a span of the same tool is the same call, told twice.

    Nobody knows which agent works inside of a tool until a span names it.
    """
    step = Step(
        reading,
        span.start_ns,
        span.end_ns,
        span.failed or bool(reading.error),
        above.under_tool,
        reading.agent or above.agent,
    )
    outer = above.tool
    if outer is not None and is_same(outer.reading, reading):
        outer.failed = outer.failed or step.failed
        fill_call(outer.reading, reading)
        step = outer
    else:
        above.draft.tools.append(step)
        if above.inference is not None:
            above.inference.uses_tools = True
    return _Place(above.draft, agentic=True, tool=step, under_tool=True)
