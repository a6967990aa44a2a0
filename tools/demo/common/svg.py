# SPDX-License-Identifier: BSD-3-Clause
"""svg.py - shapes, texts, axes and legends as SVG: what the pictures of the demonstrations and of the workload are
drawn with. Pure."""

from collections.abc import Callable, Iterable
from html import escape

INK, SOFT, LINE, PAPER, FREE = "#1f2933", "#616e7c", "#cbd2d9", "#ffffff", "#f1f4f8"
RELEASED, RESIZED = "#0f7b3f", "#7a1fa2"
SIZE = 12  # of a text that does not say otherwise

Sign = Callable[["Canvas", float, float], None]

_NARROW, _THIN, _WIDE = frozenset("ijl.,:;'|! "), frozenset("ftr()[]-/\""), frozenset("mwMW@%")


def text_width(text: str, size: float = SIZE) -> float:
    """Returns the pixels that a text takes, about; a little too many rather than too few."""
    def share(letter: str) -> float:
        if letter in _NARROW:
            return 0.34
        if letter in _THIN:
            return 0.43
        if letter in _WIDE:
            return 0.98
        return 0.73 if letter.isupper() else 0.64

    return size * sum(map(share, text))


def round_step(length: float, steps: int) -> float:
    """Returns 1, 2 or 5 times a power of ten, so that `length` has at most so many steps."""
    power = 10.0 ** -12
    while True:
        for digit in (1, 2, 5):
            if length / (digit * power) <= steps:
                return digit * power
        power *= 10


class Scale:
    """Numbers to pixels; what is outside is drawn at the edge."""

    def __init__(self, begin: float, end: float, left: float, width: float):
        self.begin, self.end, self.left, self.width = begin, end, left, width

    def __call__(self, number: float) -> float:
        inside = min(max(number, self.begin), self.end)
        return self.left + (inside - self.begin) / (self.end - self.begin) * self.width

    def marks(self, steps: int, zero: float = 0) -> Iterable[float]:
        """Yields round numbers of the scale, counted from `zero`."""
        step = round_step(self.end - self.begin, steps)
        at = -int((zero - self.begin) / step + 1e-9)
        while zero + at * step <= self.end + 1e-9 * step:
            yield at * step
            at += 1


class Canvas:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def add(self, text: str) -> None:
        self.parts.append(text)

    def box(self, x: float, y: float, width: float, height: float, fill: str, extra: str = "", title: str = "") -> None:
        end = f"><title>{escape(title)}</title></rect>" if title else "/>"
        self.add(f'<rect x="{x:.1f}" y="{y:.2f}" width="{max(width, 0.6):.1f}" height="{height:.2f}" fill="{fill}" {extra}{end}')

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str, extra: str = "") -> None:
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {extra}/>')

    def text(self, x: float, y: float, text: str, size: float = SIZE, colour: str = INK, anchor: str = "start", bold: bool = False, ground: str = "") -> None:
        """Writes a text. `ground`: the colour behind the text, which covers the lines that would run through its
        words."""
        width = text_width(text, size)
        if ground:
            left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
            self.box(left - 2, y - 0.85 * size, width + 4, 1.12 * size, ground)
        weight = ' font-weight="600"' if bold else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>{escape(text)}</text>')

    def mark(self, x: float, y: float, shape: str) -> None:
        """Draws a mark. request: a triangle that points down at (x, y); released: a disc; resized: a diamond."""
        if shape == "request":
            self.add(f'<path d="M{x:.1f} {y:.1f} l-5 -9 h10 z" fill="{INK}"/>')
        elif shape == "released":
            self.add(f'<circle cx="{x:.1f}" cy="{y - 4:.1f}" r="4.5" fill="{RELEASED}" stroke="{PAPER}"/>')
        else:
            self.add(f'<path d="M{x:.1f} {y + 1:.1f} l-5 -5.5 l5 -5.5 l5 5.5 z" fill="{RESIZED}" stroke="{PAPER}"/>')

    def axis(self, scale: Scale, y: float, marks: Iterable[tuple[float, str]], grid_from: float | None = None) -> None:
        """Draws a tick and a text for each mark below `y`; a text that would touch the one before it is left out.
        `grid_from`: dotted lines from there."""
        free_from = -1e9
        for number, text in marks:
            x = scale(number)
            if grid_from is not None:
                self.line(x, grid_from, x, y, LINE, 'stroke-dasharray="2 4"')
            self.line(x, y, x, y + 4, SOFT, 'stroke-width="0.8"')
            left = x - text_width(text, 11) / 2
            if left >= free_from:
                self.text(x, y + 15, text, 11, SOFT, "middle")
                free_from = left + text_width(text, 11) + 6

    def legend(self, entries: Iterable[tuple[str, Sign]], left: float, right: float, y: float) -> float:
        """Draws a sign and words for each entry, in as many lines as they need. Returns the base of the last line."""
        x = left
        for words, draw_sign in entries:
            width = 29 + text_width(words)
            if x > left and x + width > right:
                x, y = left, y + 22
            draw_sign(self, x, y)
            self.text(x + 29, y, words)
            x += width + 18
        return y

    def picture(self, width: float, height: float, title: str, definitions: str = "") -> str:
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
                'font-family="system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif" role="img">'
                f"<title>{escape(title)}</title>{definitions}"
                f'<rect width="{width:.0f}" height="{height:.0f}" rx="10" fill="{PAPER}"/>')
        return "\n".join([head, *self.parts, "</svg>", ""])


def filled(colour: str, extra: str = "") -> Sign:
    """Returns the sign of a legend for what has this colour."""
    return lambda canvas, x, y: canvas.box(x, y - 10, 22, 12, colour, extra)


def shaped(shape: str) -> Sign:
    return lambda canvas, x, y: canvas.mark(x + 14, y + (0 if shape == "released" else 1), shape)
