# SPDX-License-Identifier: BSD-3-Clause
"""marks.py - what the DROM thesis reports of its two use cases, and what was measured here beside it. Pure."""

from dataclasses import dataclass

import report


@dataclass(frozen=True)
class Mark:
    """A time under drom against the same jobs one after the other, in percent: `worst` to `best` in the thesis."""

    what: str
    worst: float
    best: float

    def reached(self, change: float) -> bool:
        return change <= self.worst

    def text(self) -> str:
        return f"{self.worst:+g} %" if self.worst == self.best else f"{self.worst:+g} to {self.best:+g} %"


# Chapter 4: figures 4.5 to 4.13, and 4.14 to 4.16; on two nodes of 16 cores.
THESIS = {
    "insitu": (Mark(report.AVERAGE, -37, -48), Mark(report.WHOLE, 5, -8)),
    "priority": (Mark(report.AVERAGE, -10, -10), Mark(report.WHOLE, -2.5, -2.5)),
}


def changes(case: dict, baseline: str) -> dict[str, float]:
    """Returns the change of every time under drom against the baseline's, medians, in percent."""
    ours, theirs = (case["ways"][way]["seconds"] for way in ("drom", baseline))
    return {name: report.change(ours[name]["median"], theirs[name]["median"]) for name in ours}


def apart(case: dict, what: str) -> bool:
    """Returns whether every run under drom is on one side of every serial one: the change is not only their spread."""
    ours, theirs = (case["ways"][way]["seconds"][what] for way in ("drom", "serial"))
    return ours["max"] < theirs["min"] or theirs["max"] < ours["min"]


def verdicts(case: dict) -> list[dict]:
    found = changes(case, "serial")
    return [{"what": mark.what, "thesis": [mark.worst, mark.best], "here": round(found[mark.what], 1), "reached": mark.reached(found[mark.what]),
             "apart": apart(case, mark.what)} for mark in THESIS[case["case"]]]


def lines(case: dict) -> list[str]:
    """Returns what a case's table does not show: every change, and the thesis's marks."""
    text = []
    for baseline in ("serial", "oversubscribed"):
        found = ", ".join(f"{name} {change:+.0f} %" for name, change in changes(case, baseline).items())
        text.append(f"  drom against {baseline}: {found}")
    for mark, verdict in zip(THESIS[case["case"]], verdicts(case)):
        reached = ("reached" if verdict["reached"] else "not reached") + ("" if verdict["apart"] else ", but the runs of both ways overlap")
        text.append(f"  the thesis, {mark.what}: {mark.text()}; here {verdict['here']:+.1f} %: {reached}")
    return text


def ranges(cases: list[dict]) -> list[str]:
    """Returns what the thesis has for all shapes of the first use case, and what they came to here."""
    text = []
    for mark in THESIS["insitu"]:
        found = [changes(case, "serial")[mark.what] for case in cases]
        text.append(f"  the thesis, {mark.what}: {mark.text()}; here {min(found):+.1f} to {max(found):+.1f} %, "
                    f"reached by {sum(map(mark.reached, found))} of {len(found)}")
    return text
