# SPDX-License-Identifier: BSD-3-Clause
"""page.py - what the scripts of this folder have in common: generated parts of a page, and means with their intervals."""

import difflib
import math
from pathlib import Path
from statistics import mean, stdev

# Student's t for 95 %, by the number of values; with more it is 1.96 + 2.4 / degrees of freedom, but for 0.03.
T95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}


def half_width(values: list[float]) -> float:
    """Returns half of the interval that has the mean with 95 % confidence; 0 for one value."""
    return T95.get(len(values), 1.96 + 2.4 / (len(values) - 1)) * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def with_interval(values: list[float], form: str = "+.1f") -> str:
    if len(values) < 2:
        return f"{mean(values):{form}}"
    return f"{mean(values):{form}} ± {half_width(values):{form.lstrip('+')}}"


def ratio(above: list[float], below: list[float]) -> tuple[float, float]:
    """Returns the ratio of the means of paired values, and half of its interval (delta method)."""
    middle = mean(above) / mean(below)
    return middle, half_width([(a - middle * b) / mean(below) for a, b in zip(above, below, strict=True)])


class Page:
    """A page of which some parts are generated. A part begins with `<!-- NAME: made by SCRIPT -->`."""

    def __init__(self, path: Path):
        self.path = path
        self.was = self.text = path.read_text(encoding="utf-8")

    def replace(self, name: str, script: str, lines: list[str]) -> None:
        begin, end = f"<!-- {name}: made by {script} -->", f"<!-- end of {name} -->"
        first, last = self.text.index(begin), self.text.index(end)
        self.text = "\n".join([self.text[:first] + begin, "", *lines, "", self.text[last:]])

    def rows(self, name: str, script: str) -> list[str]:
        """Returns the rows of the table in a generated part, without its head."""
        begin, end = f"<!-- {name}: made by {script} -->", f"<!-- end of {name} -->"
        part = self.text[self.text.index(begin) : self.text.index(end)]
        return [line for line in part.splitlines() if line.startswith("|")][2:]

    def write(self) -> int:
        """Returns the exit status of a script that writes the page."""
        self.path.write_text(self.text, encoding="utf-8")
        return 0

    def check(self) -> int:
        """Prints how the page would change. Returns the exit status of a script that checks it: 1 where it would."""
        print(self.differences(), end="")
        return 1 if self.differences() else 0

    def differences(self) -> str:
        """Returns how the page would change, as a unified diff; empty: not at all."""
        return "".join(difflib.unified_diff(self.was.splitlines(True), self.text.splitlines(True), "the page", "the script"))
