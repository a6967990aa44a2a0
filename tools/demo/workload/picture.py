# SPDX-License-Identifier: BSD-3-Clause
"""picture.py - which job was on which node when, one band per way, as SVG. Pure."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))

from svg import FREE, LINE, SOFT, Canvas, Scale, round_step  # noqa: E402

COLORS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7")
WIDTH, LEFT, RIGHT, TOP, GAP, TALLEST = 1000, 60, 20, 66, 72, 360
TITLE = "Which job was on which node when"


@dataclass(frozen=True)
class Block:
    """A job: `nodes` as Slurm writes them, n[1-3,7]."""

    number: int
    begin: float
    end: float
    nodes: str


@dataclass(frozen=True)
class Piece:
    """A stretch of a job on a node: the `lane`-th of `lanes` jobs that were there."""

    number: int
    begin: float
    end: float
    lane: int
    lanes: int


def nodes_of(text: str) -> list[int]:
    """Returns the numbers in n[1-3,7] or n4."""
    found = []
    for part in re.sub(r"[^0-9,-]", "", text).split(","):
        if part:
            first, _, last = part.partition("-")
            found += range(int(first), int(last or first) + 1)
    return found


def pieces(blocks: list[Block]) -> list[Piece]:
    """Returns the pieces of one node: each job as high as the number of jobs leaves it."""
    times = sorted({time for block in blocks for time in (block.begin, block.end)})
    found: list[Piece] = []
    for begin, end in zip(times, times[1:]):
        there = [block for block in blocks if block.begin <= begin and end <= block.end]
        for lane, block in enumerate(there):
            last = next((at for at, piece in enumerate(found) if (piece.number, piece.end, piece.lane, piece.lanes) == (block.number, begin, lane, len(there))), None)
            if last is None:
                found.append(Piece(block.number, begin, end, lane, len(there)))
            else:
                found[last] = Piece(block.number, found[last].begin, end, lane, len(there))
    return found


def by_node(blocks: list[Block]) -> dict[int, list[Block]]:
    nodes: dict[int, list[Block]] = {}
    for block in blocks:
        for node in nodes_of(block.nodes):
            nodes.setdefault(node, []).append(block)
    return nodes


def _nodes_axis(canvas: Canvas, nodes: int, top: float, row: float) -> None:
    """Draws the numbers of nodes that have room."""
    every = max(1, round(round_step(nodes, max(1, int(nodes * row / 16)))))
    for node in range(1, nodes + 1):
        if node == 1 or node % every == 0:
            canvas.text(LEFT - 8, top + (node - 0.5) * row + 4, f"n{node}", 11, SOFT, "end")


def _band(canvas: Canvas, name: str, blocks: list[Block], nodes: int, top: float, row: float, scale: Scale) -> None:
    canvas.text(LEFT, top - 10, f"{name}: {max(block.end for block in blocks):.0f} s", 14, bold=True)
    canvas.box(LEFT, top, scale.width, nodes * row, FREE, f'stroke="{LINE}" stroke-width="0.6"')
    for node, there in by_node(blocks).items():
        for piece in pieces(there):
            high = row / piece.lanes
            canvas.box(scale(piece.begin), top + (node - 1) * row + piece.lane * high, scale(piece.end) - scale(piece.begin), high,
                       COLORS[piece.number % len(COLORS)], 'stroke="white" stroke-width="0.4"', f"job {piece.number}")
    _nodes_axis(canvas, nodes, top, row)
    canvas.axis(scale, top + nodes * row, [(at, f"{at:g} s") for at in scale.marks(10)])


def _job_signs(canvas: Canvas, x: float, y: float) -> None:
    for at, colour in enumerate(COLORS[:3]):
        canvas.box(x + at * 8, y - 10, 7, 12, colour)


def draw(ways: dict[str, list[Block]]) -> str:
    """Draws the jobs. Time goes to the right, nodes go down; two jobs on a node have half of its height each."""
    nodes = max(max(by_node(blocks)) for blocks in ways.values())
    latest = max(block.end for blocks in ways.values() for block in blocks)
    row = min(60.0, TALLEST / nodes)
    canvas = Canvas()
    canvas.text(24, 30, TITLE, 17, bold=True)
    for place, (name, blocks) in enumerate(ways.items()):
        _band(canvas, name, blocks, nodes, TOP + place * (nodes * row + GAP), row, Scale(0, latest, LEFT, WIDTH - LEFT - RIGHT))
    bottom = canvas.legend((
        ("a job; jobs that share a node have equal parts of its height", _job_signs),
        ("no job", lambda sheet, x, y: sheet.box(x, y - 10, 22, 12, FREE, f'stroke="{LINE}"')),
    ), LEFT, WIDTH - RIGHT, TOP + len(ways) * (nodes * row + GAP) - 14)
    return canvas.picture(WIDTH, bottom + 22, TITLE)
