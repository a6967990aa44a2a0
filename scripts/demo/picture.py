# SPDX-License-Identifier: BSD-3-Clause
"""picture.py - the timeline as SVG: one row a CPU, coloured by owner, beside the same programs waiting and oversubscribed. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from timeline import Request, Timeline

WIDTH = 1120
LEFT = 120       # labels
MAIN = 470       # the run
RESPONSE = 104   # average response
ZOOM = 176       # a request, enlarged
GAP = 26
ROW = 26
MOST_ROWS = 16   # CPUs with the same history share a row; beyond this many, rows get thinner

INK, SOFT, LINE, PAPER, FREE = "#1f2933", "#616e7c", "#cbd2d9", "#ffffff", "#f1f4f8"
COLOURS = {"simulation": "#2f6fb0", "analytics": "#e07b1a", "priority job": "#b0355c"}
OTHER_COLOURS = ["#6b4fa0", "#2d8a6e", "#8a6d1f"]
RELEASED, RESIZED = "#0f7b3f", "#7a1fa2"


@dataclass
class Span:
    """A program in a run without drom: from its start to its end, and when it was asked for. Seconds from the run's start."""

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
    """[0, 1, 2, 5] -> "0-2,5"."""
    parts: list[list[int]] = []
    for cpu in cpus:
        if parts and cpu == parts[-1][1] + 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


class Canvas:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def add(self, text: str) -> None:
        self.parts.append(text)

    def box(self, x: float, y: float, width: float, height: float, fill: str, extra: str = "") -> None:
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.6):.1f}" height="{height:.1f}" fill="{fill}" {extra}/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str, extra: str = "") -> None:
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {extra}/>')

    def text(self, x: float, y: float, text: str, size: float = 12, colour: str = INK, anchor: str = "start", bold: bool = False) -> None:
        weight = ' font-weight="600"' if bold else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>{escape(text)}</text>')

    def mark(self, x: float, y: float, shape: str) -> None:
        """request: a triangle pointing down at (x, y); released: a disc; resized: a diamond."""
        if shape == "request":
            self.add(f'<path d="M{x:.1f} {y:.1f} l-5 -9 h10 z" fill="{INK}"/>')
        elif shape == "released":
            self.add(f'<circle cx="{x:.1f}" cy="{y - 4:.1f}" r="4.5" fill="{RELEASED}" stroke="{PAPER}"/>')
        else:
            self.add(f'<path d="M{x:.1f} {y + 1:.1f} l-5 -5.5 l5 -5.5 l5 5.5 z" fill="{RESIZED}" stroke="{PAPER}"/>')


class _Scale:
    """Nanoseconds to pixels."""

    def __init__(self, begin: float, end: float, left: float, width: float):
        self.begin, self.end, self.left, self.width = begin, end, left, width

    def __call__(self, time: float) -> float:
        inside = min(max(time, self.begin), self.end)
        return self.left + (inside - self.begin) / (self.end - self.begin) * self.width


def _colour(name: str, timeline: Timeline) -> str:
    if name in COLOURS:
        return COLOURS[name]
    others = [client.name for client in timeline.clients if client.name not in COLOURS]
    return OTHER_COLOURS[others.index(name) % len(OTHER_COLOURS)] if name in others else OTHER_COLOURS[0]


def _rows(case: Case) -> list[list[int]]:
    """CPUs grouped by history: those that always had the same owner share a row."""
    groups: dict[tuple, list[int]] = {}
    for cpu in case.cpus:
        history = tuple((id(t.client), t.offered is None) for t in case.timeline.tenures if t.cpu == cpu)
        groups.setdefault(history, []).append(cpu)
    if len(case.cpus) <= 4:
        return [[cpu] for cpu in case.cpus]
    return sorted(groups.values())


def _enlarged(case: Case) -> list[tuple[str, Request]]:
    """The request that the newcomer's arrival caused, and the first one that gave the CPUs back."""
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
        self.scale = _Scale(case.begin, case.begin + seconds * 1e9, LEFT, MAIN)
        self.seconds = seconds
        self.cpu_top = top + 50
        self.cpu_bottom = self.cpu_top + len(self.rows) * self.row
        self.bottom = self.cpu_bottom + 14 + len(case.lanes) * 36 + 30

    def draw(self) -> None:
        self.canvas.text(24, self.top + 14, self.case.title, 15, bold=True)
        self.grid()
        self.cpus(self.scale, with_names=True)
        self.arrival()
        for request in self.case.timeline.requests:
            if request.posted > self.case.begin + 20_000_000 and request.posted < self.case.end:
                self.canvas.mark(self.scale(request.posted), self.cpu_top - 3, "request")
        self.canvas.text(LEFT + MAIN + RESPONSE, self.cpu_top - 15, "average response", 12, SOFT, "end")
        middle = (self.cpu_top + self.cpu_bottom) / 2 + 3
        self.canvas.text(24, middle, "drom", 12, INK, bold=True)
        self.response(middle, self.case.response)
        for at, lane in enumerate(self.case.lanes):
            self.lane(lane, self.cpu_bottom + 14 + at * 36)
        for at, (heading, request) in enumerate(_enlarged(self.case)):
            self.zoom(heading, request, LEFT + MAIN + RESPONSE + GAP + at * (ZOOM + GAP))

    def grid(self) -> None:
        bottom = self.bottom - 26
        every = next(s for s in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if self.seconds / s <= 8)
        at = 0.0
        while at <= self.seconds:
            x = self.scale(self.case.begin + at * 1e9)
            self.canvas.line(x, self.cpu_top - 2, x, bottom, LINE, 'stroke-dasharray="2 4"')
            self.canvas.text(x, bottom + 15, f"{at:g} s", 12, SOFT, "middle")
            at += every

    def cpus(self, scale: _Scale, with_names: bool) -> None:
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

    def end(self, scale: _Scale) -> float:
        return min(self.case.end, scale.end)

    def tenure(self, tenure, y: float, height: float, scale: _Scale, with_names: bool) -> None:
        left, right = scale(tenure.begin), scale(tenure.end)
        self.canvas.box(left, y, right - left, height, _colour(tenure.client.name, self.case.timeline))
        if tenure.offered is not None:
            offered = scale(tenure.offered)
            self.canvas.box(offered, y, right - offered, height, "url(#offered)")
        if with_names and right - left > 70 and height > 14:
            self.canvas.text((left + right) / 2, y + height / 2 + 4, tenure.client.name, 12, PAPER, "middle")

    def arrival(self) -> None:
        x = self.scale(self.case.arrival)
        self.canvas.line(x, self.cpu_top - 14, x, self.bottom - 26, INK, 'stroke-width="1.2" stroke-dasharray="5 3"')
        self.canvas.text(x - 6, self.cpu_top - 15, f"{self.case.guest} arrives", 12, INK, "end")

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
                middle = y + 23
                self.canvas.line(self.scale(asked), middle, self.scale(begin), middle, COLOURS[span.name], 'stroke-width="2" stroke-dasharray="3 3"')
                if self.scale(begin) - self.scale(asked) > 90:
                    self.canvas.text(self.scale(asked) + 6, middle - 1 + 12, f"{span.name} waits", 11, COLOURS[span.name])
            self.canvas.box(self.scale(begin), top, self.scale(end) - self.scale(begin), height, COLOURS[span.name], 'opacity="0.85"')
        self.response(y + 16, lane.response)

    def beyond(self, span: Span, y: float) -> None:
        """A bar that would not fit ends at the edge, with the time it really ended at."""
        if span.end > self.seconds:
            self.canvas.text(LEFT + MAIN + 4, y + 9, f"→ {span.end:.1f} s" if span.end < 10 else f"→ {span.end:.0f} s", 11, COLOURS[span.name])

    def zoom(self, heading: str, request: Request, left: float) -> None:
        resized = None if request.held else request.resized
        last = max(t for t in (request.released, resized, request.posted + 100_000) if t is not None)
        length = (last - request.posted) * 1.25
        scale = _Scale(request.posted - length * 0.15, request.posted + length, left, ZOOM)
        self.canvas.text(left, self.cpu_top - 15, heading, 12, SOFT)
        self.cpus(scale, with_names=False)
        how = "confined" if request.confined else "released"
        steps = [("request", request.posted, "request"),
                 ("released", request.released, f"{how} +{milliseconds(request.released - request.posted)}")]
        if not request.held:
            threads = f"{request.threads} thread" + ("" if request.threads == 1 else "s")
            steps.append(("resized", request.resized, f"{threads} +{milliseconds(request.resized - request.posted)}"))
        for at, (shape, time, words) in enumerate(steps):
            self.step(scale(time), left, shape, words, self.cpu_bottom + 18 + at * 16)
        if request.held:
            self.canvas.text(left, self.cpu_bottom + 18 + len(steps) * 16, "the team keeps its size", 12, SOFT)

    def step(self, x: float, left: float, shape: str, words: str, y: float) -> None:
        self.canvas.line(x, self.cpu_top - 2, x, y - 4, INK, 'stroke-width="0.9"')
        self.canvas.mark(x, self.cpu_top - 3 if shape == "request" else y, shape)
        beyond = x > left + ZOOM / 2
        self.canvas.text(x - 9 if beyond else x + 9, y, words, 11.5, INK, "end" if beyond else "start")


def _owner(name: str) -> Callable[[Canvas, float, float], None]:
    return lambda canvas, x, y: canvas.box(x, y - 10, 22, 12, COLOURS[name])


def _offered(canvas: Canvas, x: float, y: float) -> None:
    canvas.box(x, y - 10, 22, 12, COLOURS["simulation"])
    canvas.box(x, y - 10, 22, 12, "url(#offered)")


def _legend(canvas: Canvas, guests: list[str], y: float) -> float:
    """Returns where it ends."""
    x = 24.0
    for words, draw_sign in (
        ("simulation owns the CPU", _owner("simulation")),
        *[(f"{guest} owns it", _owner(guest)) for guest in guests],
        ("offered: its owner was told to leave", _offered),
        ("free", lambda canvas, x, y: canvas.box(x, y - 10, 22, 12, FREE, f'stroke="{LINE}"')),
        ("request", lambda canvas, x, y: canvas.mark(x + 14, y + 1, "request")),
        ("released", lambda canvas, x, y: canvas.mark(x + 14, y, "released")),
        ("resized", lambda canvas, x, y: canvas.mark(x + 14, y + 1, "resized")),
    ):
        width = 29 + 6.6 * len(words)
        if x + width > WIDTH - 24:
            x, y = 24.0, y + 22
        draw_sign(canvas, x, y)
        canvas.text(x + 29, y, words, 12)
        x += width + 22
    return y


def draw(cases: list[Case], title: str, subtitle: str) -> str:
    """The whole picture. All cases share one scale of seconds, on which every run under drom and every short lane fits."""
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
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}" '
            'font-family="system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif" role="img">'
            f"<title>{escape(title)}</title>"
            '<defs><pattern id="offered" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            f'<rect width="3" height="6" fill="{PAPER}" opacity="0.75"/></pattern></defs>'
            f'<rect width="{WIDTH}" height="{height:.0f}" rx="10" fill="{PAPER}"/>')
    return head + "\n" + "\n".join(canvas.parts) + "\n</svg>\n"
