# SPDX-License-Identifier: BSD-3-Clause
"""picture.py - who was on which node when, one band a way, as SVG. Pure."""

import re
from dataclasses import dataclass

COLORS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7")
WIDTH, LEFT, TOP, GAP, TALLEST = 1000, 60, 40, 40, 360


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
    """The numbers in n[1-3,7] or n4."""
    found = []
    for part in re.sub(r"[^0-9,-]", "", text).split(","):
        if part:
            first, _, last = part.partition("-")
            found += range(int(first), int(last or first) + 1)
    return found


def pieces(blocks: list[Block]) -> list[Piece]:
    """Of one node: each job as high as the number of jobs leaves it."""
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


def _band(name: str, blocks: list[Block], top: float, row: float, scale: float) -> list[str]:
    lines = [f'<text x="{LEFT}" y="{top - 8:.1f}">{name}: {max(block.end for block in blocks):.0f} s</text>']
    for node, there in by_node(blocks).items():
        for piece in pieces(there):
            high = row / piece.lanes
            x, y = LEFT + piece.begin * scale, top + (node - 1) * row + piece.lane * high
            lines.append(f'<rect x="{x:.1f}" y="{y:.2f}" width="{max(0.5, (piece.end - piece.begin) * scale):.1f}" height="{high:.2f}" '
                         f'fill="{COLORS[piece.number % len(COLORS)]}" stroke="white" stroke-width="0.4"><title>job {piece.number}</title></rect>')
    return lines


def draw(ways: dict[str, list[Block]]) -> str:
    """Time goes to the right, nodes go down; two jobs on a node have half of its height each."""
    nodes = max(max(by_node(blocks)) for blocks in ways.values())
    latest = max(block.end for blocks in ways.values() for block in blocks)
    row = min(60.0, TALLEST / nodes)
    scale = (WIDTH - LEFT - 20) / latest
    height = TOP + len(ways) * (nodes * row + GAP)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif" font-size="14">',
             f'<rect width="{WIDTH}" height="{height:.0f}" fill="white"/>']
    for place, (name, blocks) in enumerate(ways.items()):
        lines += _band(name, blocks, TOP + place * (nodes * row + GAP), row, scale)
    return "\n".join([*lines, "</svg>", ""])
