# SPDX-License-Identifier: BSD-3-Clause
"""picture.py - the timeline as SVG: one row per CPU, coloured by owner, beside the same programs waiting and
oversubscribed. Pure."""

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "common"))

from svg import FREE, INK, LINE, PAPER, SOFT, Canvas, Scale, filled, shaped, text_width  # noqa: E402
from timeline import Request, Timeline  # noqa: E402

WIDTH = 1120
LEFT = 132       # labels
MAIN = 458       # the run
RESPONSE = 104   # average response
ZOOM = 176       # a request, enlarged
GAP = 26
ROW = 26
MOST_ROWS = 16   # CPUs with the same history share a row; beyond this many, rows get thinner

COLOURS = {"simulation": "#2f6fb0", "analytics": "#e07b1a", "priority job": "#b0355c"}
OTHER_COLOURS = ["#6b4fa0", "#2d8a6e", "#8a6d1f"]


@dataclass
class Span:
    """A program in a run without drom: from its start to its end, and when it was asked for. Seconds from the run's
    start."""

    name: str
    asked: float
    begin: float
    end: float


@dataclass
class Lane:
    """A run without drom: `label`, its programs, the average response."""

    label: str
    spans: list[Span]
    response: float


@dataclass
class Case:
    """One block of the picture. `arrival` in nanoseconds of the timeline's clock."""

    title: str
    timeline: Timeline
    cpus: list[int]
    begin: int
    arrival: int
    end: int
    response: float
    lanes: list[Lane]
    guest: str = "analytics"


def milliseconds(nanoseconds: float) -> str:
    if nanoseconds < 1e6:
        return f"{nanoseconds / 1e3:.0f} µs"
    return f"{nanoseconds / 1e6:.1f} ms"


def ranges(cpus: list[int]) -> str:
    """Writes [0, 1, 2, 5] as "0-2,5"."""
    parts: list[list[int]] = []
    for cpu in cpus:
        if parts and cpu == parts[-1][1] + 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def _colour(name: str, timeline: Timeline) -> str:
    if name in COLOURS:
        return COLOURS[name]
    others = [client.name for client in timeline.clients if client.name not in COLOURS]
    return OTHER_COLOURS[others.index(name) % len(OTHER_COLOURS)] if name in others else OTHER_COLOURS[0]


def _rows(case: Case) -> list[list[int]]:
    """Groups CPUs by history: those that always had the same owner share a row."""
    groups: dict[tuple, list[int]] = {}
    for cpu in case.cpus:
        history = tuple((id(t.client), t.offered is None) for t in case.timeline.tenures if t.cpu == cpu)
        groups.setdefault(history, []).append(cpu)
    if len(case.cpus) <= 4:
        return [[cpu] for cpu in case.cpus]
    return sorted(groups.values())


def _enlarged(case: Case) -> list[tuple[str, Request]]:
    """Returns the request that the newcomer's arrival caused, and the first one that gave the CPUs back."""
    later = [r for r in case.timeline.requests if r.posted >= case.arrival and r.released is not None]
    shrinks = [r for r in later if r.shrinks]
    if not shrinks:
        return []
    shrink = shrinks[0]
    grows = [r for r in later if r.client is shrink.client and r.cpus > r.before and r.posted > shrink.posted]
    return [("the shrink, enlarged", shrink)] + [("the expansion, enlarged", r) for r in grows[:1]]


class _Block:
    """Draws one case."""

    def __init__(self, canvas: Canvas, case: Case, top: float, seconds: float):
        self.canvas, self.case, self.top = canvas, case, top
        self.rows = _rows(case)
        self.row = min(ROW, MOST_ROWS * ROW / max(len(self.rows), 1))
        self.scale = Scale(case.begin, case.begin + seconds * 1e9, LEFT, MAIN)
        self.seconds = seconds
        self.cpu_top = top + 50
        self.cpu_bottom = self.cpu_top + len(self.rows) * self.row
        self.axis_y = self.cpu_bottom + 14 + max(len(case.lanes) * 36, 72) + 4
        self.bottom = self.axis_y + 26

    def draw(self) -> None:
        self.canvas.text(24, self.top + 14, self.case.title, 15, bold=True)
        marks = [(self.case.begin + at * 1e9, f"{at:g} s") for at in Scale(0, self.seconds, LEFT, MAIN).marks(8)]
        self.canvas.axis(self.scale, self.axis_y, marks, self.cpu_top - 2)
        self.arrival_line()
        self.cpus(self.scale, with_names=True)
        for request in self.case.timeline.requests:
            if request.posted > self.case.begin + 20_000_000 and request.posted < self.case.end:
                self.canvas.mark(self.scale(request.posted), self.cpu_top - 3, "request")
        self.canvas.text(LEFT + MAIN + RESPONSE, self.cpu_top - 18, "average response", 12, SOFT, "end")
        self.canvas.text(LEFT - 10, self.cpu_top - 6, "drom", 12, INK, "end", bold=True)
        self.response((self.cpu_top + self.cpu_bottom) / 2 + 3, self.case.response)
        for at, lane in enumerate(self.case.lanes):
            self.lane(lane, self.cpu_bottom + 14 + at * 36)
        self.arrival_words()
        for at, (heading, request) in enumerate(_enlarged(self.case)):
            self.zoom(heading, request, LEFT + MAIN + RESPONSE + GAP + at * (ZOOM + GAP))

    def cpus(self, scale: Scale, with_names: bool) -> None:
        for at, cpus in enumerate(self.rows):
            y = self.cpu_top + at * self.row
            height = self.row - 3 if self.row > 8 else self.row
            if with_names:
                label = ("CPU " if len(cpus) == 1 else "CPUs ") + ranges(cpus)
                self.canvas.text(LEFT - 10, y + height / 2 + 4, label, 12, INK, "end")
            self.canvas.box(scale.left, y, scale(self.end(scale)) - scale.left, height, FREE, f'stroke="{LINE}" stroke-width="0.6"')
            for tenure in self.case.timeline.tenures:
                if tenure.cpu == cpus[0] and tenure.end > scale.begin and tenure.begin < scale.end:
                    self.tenure(tenure, y, height, scale, with_names)

    def end(self, scale: Scale) -> float:
        return min(self.case.end, scale.end)

    def tenure(self, tenure, y: float, height: float, scale: Scale, with_names: bool) -> None:
        left, right = scale(tenure.begin), scale(tenure.end)
        self.canvas.box(left, y, right - left, height, _colour(tenure.client.name, self.case.timeline))
        if tenure.offered is not None:
            offered = scale(tenure.offered)
            self.canvas.box(offered, y, right - offered, height, "url(#offered)")
        if with_names and right - left > text_width(tenure.client.name) + 8 and height > 14:
            self.canvas.text((left + right) / 2, y + height / 2 + 4, tenure.client.name, 12, PAPER, "middle")

    def arrival_line(self) -> None:
        x = self.scale(self.case.arrival)
        self.canvas.line(x, self.cpu_top - 14, x, self.axis_y, INK, 'stroke-width="1.2" stroke-dasharray="5 3"')

    def arrival_words(self) -> None:
        x, words = self.scale(self.case.arrival), f"{self.case.guest} arrives"
        left_of_it = x - 6 - text_width(words) > 24
        self.canvas.text(x - 6 if left_of_it else x + 6, self.cpu_top - 18, words, 12, INK, "end" if left_of_it else "start", ground=PAPER)

    def response(self, y: float, seconds: float) -> None:
        self.canvas.text(LEFT + MAIN + RESPONSE, y, f"{seconds:.2f} s", 13, INK, "end", bold=True)

    def lane(self, lane: Lane, y: float) -> None:
        self.canvas.text(LEFT - 10, y + 16, lane.label, 12, INK, "end")
        together = len({span.begin for span in lane.spans}) > 1 and lane.spans[1].begin < lane.spans[0].end
        for at, span in enumerate(lane.spans):
            self.beyond(span, y + 3 + at * 11)
            begin, end = (self.case.begin + 1e9 * t for t in (span.begin, span.end))
            asked = self.case.begin + 1e9 * span.asked
            top, height = (y + 3 + at * 11, 10) if together else (y + 6, 12)
            if span.begin - span.asked > 0.05:
                self.waiting(span.name, self.scale(asked), self.scale(begin), y + 23)
            self.canvas.box(self.scale(begin), top, self.scale(end) - self.scale(begin), height, COLOURS[span.name], 'opacity="0.85"')
        self.response(y + 16, lane.response)

    def waiting(self, name: str, left: float, right: float, y: float) -> None:
        words = f"{name} waits"
        self.canvas.line(left, y, right, y, COLOURS[name], 'stroke-width="2" stroke-dasharray="3 3"')
        if right - left > text_width(words, 11) + 12:
            self.canvas.text(left + 6, y + 11, words, 11, COLOURS[name], ground=PAPER)

    def beyond(self, span: Span, y: float) -> None:
        """Draws a bar that would not fit up to the edge, with the time that it really ended at."""
        if span.end > self.seconds:
            self.canvas.text(LEFT + MAIN + 4, y + 9, f"→ {span.end:.1f} s" if span.end < 10 else f"→ {span.end:.0f} s", 11, COLOURS[span.name])

    def zoom(self, heading: str, request: Request, left: float) -> None:
        resized = None if request.held else request.resized
        last = max(t for t in (request.released, resized, request.posted + 100_000) if t is not None)
        length = (last - request.posted) * 1.25
        scale = Scale(request.posted - length * 0.15, request.posted + length, left, ZOOM)
        self.canvas.text(left, self.cpu_top - 18, heading, 12, SOFT)
        self.cpus(scale, with_names=False)
        how = "confined" if request.confined else "released"
        steps = [("request", request.posted, "request"),
                 ("released", request.released, f"{how} +{milliseconds(request.released - request.posted)}")]
        if not request.held:
            threads = f"{request.threads} thread" + ("" if request.threads == 1 else "s")
            steps.append(("resized", request.resized, f"{threads} +{milliseconds(request.resized - request.posted)}"))
        below = self.cpu_bottom + 10
        self.canvas.line(left, below, left + ZOOM, below, SOFT, 'stroke-width="0.8"')
        unit, name = (1e6, "ms") if length >= 2e6 else (1e3, "µs")
        marks = [(request.posted + at, f"{at / unit:g} {name}") for at in scale.marks(4, zero=request.posted) if at >= 0]
        self.canvas.axis(scale, below, marks)
        for at, (shape, time, words) in enumerate(steps):
            self.step(scale(time), shape, below)
            self.canvas.mark(left + 5, below + 34 + at * 16, shape)
            self.canvas.text(left + 16, below + 34 + at * 16, words, 11.5)
        if request.held:
            self.canvas.text(left + 16, below + 34 + len(steps) * 16, "the team keeps its size", 12, SOFT)

    def step(self, x: float, shape: str, below: float) -> None:
        """Draws a line through the CPUs, with the step's sign at one of its ends: no line leaves the strip."""
        self.canvas.line(x, self.cpu_top - 2, x, below, INK, 'stroke-width="0.9"')
        self.canvas.mark(x, self.cpu_top - 3 if shape == "request" else below + (4 if shape == "released" else 4.5), shape)


def _offered(canvas: Canvas, x: float, y: float) -> None:
    filled(COLOURS["simulation"])(canvas, x, y)
    filled("url(#offered)")(canvas, x, y)


def _legend(canvas: Canvas, guests: list[str], y: float) -> float:
    """Returns where it ends."""
    return canvas.legend((
        ("simulation owns the CPU", filled(COLOURS["simulation"])),
        *[(f"{guest} owns it", filled(COLOURS[guest])) for guest in guests],
        ("offered: its owner was notified to leave", _offered),
        ("free", filled(FREE, f'stroke="{LINE}"')),
        ("request", shaped("request")),
        ("released", shaped("released")),
        ("resized", shaped("resized")),
    ), 24, WIDTH - 24, y)


def draw(cases: list[Case], title: str, subtitle: str) -> str:
    """Draws the whole picture. All cases share one scale of seconds, on which every run under drom and every short lane
    fits."""
    longest = max((case.end - case.begin) / 1e9 for case in cases)
    ends = [span.end for case in cases for lane in case.lanes for span in lane.spans]
    seconds = max([longest] + [end for end in ends if end < 1.6 * longest]) * 1.02
    canvas = Canvas()
    canvas.text(24, 36, title, 19, bold=True)
    canvas.text(24, 58, subtitle, 13, SOFT)
    top = 84.0
    for case in cases:
        block = _Block(canvas, case, top, seconds)
        block.draw()
        top = block.bottom + 20
    height = _legend(canvas, list(dict.fromkeys(case.guest for case in cases)), top + 8) + 22
    return canvas.picture(WIDTH, height, title,
                          '<defs><pattern id="offered" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
                          f'<rect width="3" height="6" fill="{PAPER}" opacity="0.75"/></pattern></defs>')
