# SPDX-License-Identifier: BSD-3-Clause
"""log.py - the first jobs of a log in the Standard Workload Format, version 2.2. Pure but for read()."""

import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from jobs import Row

SUBMIT, RUN, ALLOCATED, REQUESTED, REQUEST = 1, 3, 4, 7, 8  # of a line's fields
FEWEST, WITH_INDEX = 5, 19  # fields: those that are needed; those of logs that have a column in front


class BadLog(Exception):
    """A sentence that says why a file is no log of enough jobs."""


@dataclass(frozen=True)
class Log:
    """`rows`: by submission; their `nodes` are processors. `processors`: those of the machine."""

    rows: list[Row]
    processors: int


def read(path: Path, count: int) -> Log:
    """Reads the first `count` jobs that ran. BadLog: the file cannot be read, or is no log of at least two of them."""
    try:
        data = path.read_bytes()
        text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError, zlib.error) as wrong:
        raise BadLog(f"{path} cannot be read: {getattr(wrong, 'strerror', None) or wrong}") from wrong
    try:
        return parsed(text.decode("utf-8", "replace"), count)
    except BadLog as wrong:
        raise BadLog(f"{path}: {wrong}") from wrong


def parsed(text: str, count: int) -> Log:
    rows = [row for number, line in enumerate(text.splitlines(), 1) if (row := _row(number, line.strip())) is not None]
    if len(rows) < 2:
        raise BadLog(f"it has {len(rows)} jobs that ran on processors, and at least two are needed")
    told = re.search(r"^;\s*MaxProcs:\s*([1-9]\d*)", text, re.MULTILINE)
    widest = max(row.nodes for row in rows)
    return Log(sorted(rows, key=lambda row: row.submit)[:count], max(widest, int(told[1])) if told else widest)


def _row(number: int, line: str) -> Row | None:
    """Returns the row of a line. None: a comment, or a job that never ran."""
    if not line or line.startswith(";"):
        return None
    try:
        fields = [round(float(field)) for field in line.split()[:WITH_INDEX]]
    except (ValueError, OverflowError):
        fields = []
    if len(fields) < FEWEST:
        raise BadLog(f"line {number} is no job of the Standard Workload Format, which is 18 numbers with blanks between them")
    fields = fields[1:] if len(fields) == WITH_INDEX else fields + [-1] * (WITH_INDEX - len(fields))
    run, processors = fields[RUN], fields[REQUESTED] if fields[REQUESTED] > 0 else fields[ALLOCATED]
    if run <= 0 or processors <= 0:
        return None
    return Row(max(0, fields[SUBMIT]), run, processors, max(fields[REQUEST], run))
