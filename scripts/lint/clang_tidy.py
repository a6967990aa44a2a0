#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang_tidy.py - runs clang-tidy over one source, unless it found nothing in the same text before.

  clang_tidy.py DATABASE SOURCE [CHECKS]

DATABASE is the folder of compile_commands.json, CHECKS are more checks than those of .clang-tidy. Hashed are the source and every
header that it includes, the system's too; their paths below the project's root; the flags, the checks, and clang-tidy's version. Hashes of sources
without a finding lie in $XDG_CACHE_HOME/drom/clang-tidy (~/.cache), so that a clone in another folder knows them. A source without a finding of more
checks has none of .clang-tidy's either. Findings are never remembered. A hash that was not asked for during sixty days is removed.
Exit status: that of clang-tidy; 2 when the database does not have the source.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

CLANG_TIDY = "clang-tidy-19"
KEPT_S = 60 * 24 * 3600
ROOT = Path(__file__).resolve().parents[2]


def memory() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "drom" / "clang-tidy"


def flags_of(database: Path, source: str) -> tuple[str, list[str]] | None:
    """Returns the folder and the command that compile it, without its output."""
    for entry in json.loads((database / "compile_commands.json").read_text()):
        if entry["file"] == source:
            words = shlex.split(entry["command"])
            at = words.index("-o") if "-o" in words else len(words)
            return entry["directory"], [word for word in words[:at] + words[at + 2:] if word not in ("-c", source)]
    return None


def files_of(folder: str, command: list[str], source: str) -> list[Path] | None:
    """Returns the source and all that it includes; None when the compiler cannot say."""
    told = subprocess.run([*command, "-M", "-MT", "x", source], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if told.returncode != 0:
        return None
    names = told.stdout.partition(":")[2].replace("\\\n", " ")
    return sorted({Path(os.path.normpath(Path(folder) / name)) for name in shlex.split(names)})


def placeless(text: str) -> str:
    return text.replace(str(ROOT), "")


def hashes_of(folder: str, command: list[str], source: str, checks: str) -> list[str]:
    """Returns the hash with these checks, and the one without any; none when the compiler cannot say what is included."""
    files = files_of(folder, command, source)
    if files is None:
        return []
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, text=True).stdout
    text = hashlib.sha256("\0".join([version, *map(placeless, command)]).encode())
    for file in [ROOT / ".clang-tidy", Path(__file__).resolve(), *files]:
        text.update(f"\0{placeless(str(file))}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return [hashlib.sha256(text.digest() + more.encode()).hexdigest() for more in (checks, "")]


def remember(hashes: list[str]) -> None:
    folder = memory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in hashes:
            (folder / name).touch()
        for old in folder.iterdir():
            if old.stat().st_mtime < time.time() - KEPT_S:
                old.unlink(missing_ok=True)
    except OSError as error:  # costs time in the next run, and nothing else
        print(f"clang_tidy.py: {folder}: nothing is remembered: {error.strerror}", file=sys.stderr)


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__.splitlines()[2].strip(), file=sys.stderr)
        return 2
    database, source, checks = Path(sys.argv[1]), sys.argv[2], "".join(sys.argv[3:])
    flags = flags_of(database, source)
    if flags is None:
        print(f"clang_tidy.py: {source}: {database}/compile_commands.json does not have it", file=sys.stderr)
        return 2
    hashes = hashes_of(*flags, source, checks)
    if hashes and (memory() / hashes[0]).exists():
        remember(hashes[:1])
        return 0
    more = [f"--checks={checks}"] if checks else []
    # It takes the filter of headers from the .clang-tidy of the folder that it runs in.
    status = subprocess.run([CLANG_TIDY, "--quiet", *more, "-p", str(database.resolve()), source], cwd=ROOT, stdin=subprocess.DEVNULL).returncode
    if status == 0:
        remember(hashes)
    return status


if __name__ == "__main__":
    sys.exit(main())
