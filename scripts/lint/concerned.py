#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""concerned.py - the C++ sources that changes since a commit concern: concerned.py COMMIT

Changes of the working tree count. A changed header concerns all that include it, directly or not, told apart by its file's name alone: so one
source too many is named at times, and none too few. Prints a path per line; all sources when the commit is not in this clone, or when the
checks themselves have changed. Changed flags of the compiler do not count: they are the build's matter.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKS = {".clang-tidy"}  # scripts/lint.sh has only the further checks of a long run, which no other run makes
_INCLUDE = re.compile(r'^ *# *include *"(?:[^"]*/)?([^"/]+)"', re.MULTILINE)


def git(*arguments: str) -> list[str] | None:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


def changed_since(commit: str) -> set[str] | None:
    """Returns None when the clone does not know."""
    tracked = git("diff", "--name-only", f"{commit}^{{commit}}", "--")
    untracked = git("ls-files", "--others", "--exclude-standard")
    return None if tracked is None or untracked is None else {*tracked, *untracked}


def sources() -> dict[str, set[str]]:
    """Returns the C and C++ files of the project, with the names that each includes."""
    files = git("ls-files", "--cached", "--others", "--exclude-standard", "--", "*.cpp", "*.hpp", "*.c", "*.h") or []
    return {name: set(_INCLUDE.findall((ROOT / name).read_text())) for name in files if (ROOT / name).is_file()}


def concerned(changed: set[str], known: dict[str, set[str]]) -> set[str]:
    found = {name for name in known if name in changed}
    # A header that was removed or moved concerns those that still include its name.
    names = {Path(name).name for name in changed}
    while more := {name for name, includes in known.items() if name not in found and includes & names}:
        found |= more
        names |= {Path(name).name for name in more}
    return found


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    known = sources()
    changed = changed_since(sys.argv[1])
    every = changed is None or changed & CHECKS
    print(*sorted(name for name in (known if every else concerned(changed, known)) if name.endswith(".cpp")), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
