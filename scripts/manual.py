#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""manual.py - makes the manual pages of section 3, in scdoc's format, from the comments of drom.h.

  manual.py --list            names the pages, one per line: the page, then the calls that it describes
  manual.py --page NAME       prints one page; NAME without its section

A marker "---- page(3): text ----" begins a page. A comment describes the declarations up to the next comment; "Returns:", "Errors:",
"Cost:" and "Threads:" begin paragraphs of their own. Errors are separated by ";", each with a text or with that of its status.
"""

import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

HEADER = Path(__file__).resolve().parents[1] / "libdrom/include/drom/drom.h"
OVERVIEW = "libdrom"

_MARKER = re.compile(r"^/\* ---- (\w+)\(3\): (.*?) ---- \*/\n", re.MULTILINE)
_PIECE = re.compile(
    r"^/\*(?P<comment>(?:(?!\*/).)*)\*/\n(?=\S)|^(?P<enum>enum \{.*?^\};)|^(?P<struct>typedef struct \w+ \{.*?^\} \w+;)"
    r"|^(?P<define>#define DROM_\w+ +[^\n]*)|^(?P<call>DROM_EXPORT [^;]*;)|^(?P<type>typedef [^;{]*;)", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*(?P<code>[^\n/]*?)[,;]?\s*/\*(?P<text>.*?)\*/", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"\b(Returns|Errors|Cost|Threads): ")
_ERROR = re.compile(r"^(E_[A-Z]+)\s*(.*)$", re.DOTALL)


@dataclass
class Call:
    """One comment and what it describes."""

    text: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    declarations: list[str] = field(default_factory=list)

    def names(self) -> list[str]:
        return [re.search(r"(\w+)\(", declaration)[1] for declaration in self.declarations if not declaration.startswith("typedef")]


@dataclass
class Page:
    name: str
    title: str
    calls: list[Call] = field(default_factory=list)
    lists: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)
    types: list[str] = field(default_factory=list)

    def names(self) -> list[str]:
        return [name for call in self.calls for name in call.names()]


def unfolded(comment: str) -> str:
    """Returns the text of a comment: paragraphs of one line each."""
    lines = [re.sub(r"^ \* ?", "", line).strip() for line in comment.split("\n")]
    return re.sub(r"(?<!\n)\n(?!\n)", " ", "\n".join(lines)).strip()


def fields(code: str) -> list[tuple[str, str]]:
    found = []
    for match in _FIELD.finditer(code):
        # The names alone: without type, value, and array bounds, which the text need not have.
        names = [re.sub(r"\[.*|=.*|^.*[\s*]", "", part.strip().removesuffix(";").split(" =")[0]) for part in match["code"].split(",")]
        found.append((", ".join(names), unfolded(match["text"])))
    return found


def call_of(comment: str) -> Call:
    first, *rest = _PART.split(unfolded(comment))
    return Call(first.strip(), {name: text.strip() for name, text in zip(rest[::2], rest[1::2])})


def page_of(name: str, title: str, code: str) -> Page:
    page = Page(name, title)
    comment = ""
    constants: list[tuple[str, str]] = []
    for match in _PIECE.finditer(code):
        if match["comment"] is not None:
            comment = match["comment"]
        elif match["call"]:
            if comment or not page.calls:
                page.calls.append(call_of(comment))
            page.calls[-1].declarations.append(re.sub(r"\s+", " ", match["call"].removeprefix("DROM_EXPORT ")))
            comment = ""
        elif match["define"]:
            own = re.match(r"#define (\w+).*?(?:/\*(.*)\*/)?$", match["define"])
            constants.append((own[1], (own[2] or unfolded(comment)).strip()))
            comment = ""
        elif match["enum"]:
            constants += fields(match["enum"])
        elif match["struct"]:
            structure = re.search(r"(\w+);$", match["struct"])[1]
            page.lists.append((structure, ([("", unfolded(comment))] if comment else []) + fields(match["struct"].split("{", 1)[1])))
            comment = ""
        elif match["type"]:
            page.types.append(re.sub(r"\s+", " ", match["type"]))
    if constants:
        page.lists.insert(0, ("constants", constants))
    return page


def pages(header: str) -> list[Page]:
    _, *rest = _MARKER.split(header)
    return [page_of(*rest[i:i + 3]) for i in range(0, len(rest), 3)]


def marked(text: str) -> str:
    """Returns scdoc's form of a text: names bold, arguments in `backticks` underlined, everything else as it stands."""
    text = re.sub(r"(?<![\w\"])E_(?=[A-Z])", "DROM_E_", text)
    pieces = re.split(r"(`[^`]*`|\bdrom_\w+|\bDROM_\w+)", text)
    for i, piece in enumerate(pieces):
        if piece.startswith("`"):
            pieces[i] = "_" + escaped(piece.strip("`")).replace("\\_", "_") + "_" if re.fullmatch(r"`\*?\w+`", piece) else escaped(piece.strip("`"))
        elif re.match(r"drom_|DROM_", piece):
            pieces[i] = f"*{piece}*" + ("()" if piece in CALLS else "")
        else:
            pieces[i] = escaped(piece)
    return "".join(pieces)


def escaped(text: str) -> str:
    return re.sub(r"([\\*_])", r"\\\1", text)


def paragraphs(text: str) -> str:
    return "\n\n".join(marked(part) for part in text.split("\n\n"))


def declared(declaration: str) -> str:
    """Returns a declaration in lines of at most 69 characters, which an indented page of 80 columns has room for;
    broken behind commas."""
    words = declaration.replace(" ", "\0").replace(",\0", ", ")
    return "\n".join(textwrap.wrap(words, 69, subsequent_indent="    ", break_long_words=False)).replace("\0", " ")


def items(pairs: list[tuple[str, str]]) -> str:
    out = []
    for name, text in pairs:
        out.append(marked(text) if not name else ", ".join(f"*{one}*" for one in name.split(", ")) + "\n\t" + marked(text))
    return "\n\n".join(out)


def attributed(calls: list[Call], part: str) -> str:
    """Returns one paragraph per call; with its names in front where the page has several."""
    said = [(call.names(), capital(call.parts[part])) for call in calls if part in call.parts]
    if len(calls) == 1 or len({text for _, text in said}) == 1 and len(said) == len(calls):
        return marked(said[0][1]) if said else ""
    return items([(", ".join(names), text) for names, text in said])


def errors(page: Page, statuses: dict[str, str]) -> str:
    said: dict[str, dict[str, list[str]]] = {}
    reporting = [name for call in page.calls if "Errors" in call.parts for name in call.names()]
    for call in page.calls:
        for entry in re.split(r";\s*", call.parts.get("Errors", "").rstrip(".")):
            if not (match := _ERROR.match(entry.strip())):
                if entry.strip():
                    sys.exit(f"drom.h: {page.name}: the error '{entry}' is not understood")
                continue
            status, text = "DROM_" + match[1], match[2]
            text = statuses[status] + "; " + text if text.startswith("also:") else text or statuses[status]
            said.setdefault(status, {}).setdefault(text, []).extend(call.names())
    return "\n\n".join(f"*{status}*\n\t" + "\n\n\t".join(told(text, names, reporting) for text, names in texts.items())
                       for status, texts in said.items())


def told(text: str, names: list[str], reporting: list[str]) -> str:
    """Returns the text of an error; behind the names of its calls where not every call of the page reports it so."""
    if names == reporting:
        return marked(capital(text)) + "."
    return ", ".join(f"*{name}*()" for name in names) + ": " + marked(text) + "."


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def section(title: str, text: str) -> str:
    return f"# {title}\n\n{text}\n\n" if text else ""


def returned(page: Page) -> str:
    said = attributed(page.calls, "Returns")
    counted = [call for call in page.calls if "Errors" in call.parts]
    plain = "*DROM_OK* (0), or a negative error. " if not said else "Otherwise a negative error. "
    return (said + ("\n\n" if said else "") + plain + "The sentence is in _error_, if that is not NULL.") if counted else said


def body(page: Page) -> str:
    described = []
    for call in page.calls:
        name = ", ".join(call.names())
        described.append((f"## {name}\n\n" if len(page.calls) > 1 else "") + paragraphs(call.text))
    return "\n\n".join(described)


def see_also(page: Page, text: str) -> str:
    if any("drom_options" in declaration for call in page.calls for declaration in call.declarations):
        text += "*drom_options*"
    others = [other.name for other in PAGES if other is not page and any(re.search(rf"\*{name}\*", text) for name in [*other.names(), other.name])]
    return ", ".join(f"*{name}*(3)" for name in [OVERVIEW, *others]) + ", *drom*(7)"


def shown(page: Page) -> str:
    if page.name == "drom_options":
        synopsis = "drom_options options = {.size = sizeof options};"
    else:
        synopsis = "\n".join(declared(text) for text in [*page.types, *[d for call in page.calls for d in call.declarations]])
    names = page.names() or [page.name]
    text = section("DESCRIPTION", body(page)) if page.calls else ""
    text += section("CONSTANTS", "\n\n".join(items(pairs) for title, pairs in page.lists if title == "constants"))
    text += section("STRUCTURES", "\n\n".join(f"## {title}\n\n{items(pairs)}" for title, pairs in page.lists if title != "constants"))
    text += section("RETURN VALUE", returned(page)) + section("ERRORS", errors(page, STATUSES))
    text += section("COST", attributed(page.calls, "Cost")) + section("THREAD SAFETY", attributed(page.calls, "Threads"))
    return (f"{page.name}(3)\n\n" + section("NAME", f"{', '.join(names)} - {page.title}")
            + section("SYNOPSIS", "*#include <drom/drom.h>*\n\n```\n" + synopsis + "\n```") + text + section("SEE ALSO", see_also(page, text)).rstrip())


def overview(header: str) -> str:
    text = unfolded(re.match(r"/\*(.*?)\*/", header, re.DOTALL)[1])
    what, *rest = text.split("\n\n")[1:-1]
    title = what.partition(" - ")[2].rstrip(".")
    listed = "\n\n".join(items([(", ".join(page.names() or [page.name]), page.title)]) + f"; see *{page.name}*(3)" for page in PAGES)
    return (f"{OVERVIEW}(3)\n\n" + section("NAME", f"{OVERVIEW} - {title}, from C")
            + section("SYNOPSIS", "*#include <drom/drom.h>*\n\n```\ncc program.c $(pkg-config --cflags --libs drom)\n```")
            + section("DESCRIPTION", paragraphs("\n\n".join(rest))) + section("CALLS", listed)
            + section("SEE ALSO", "*drom*(1), *drom-table*(5), *drom*(7)").rstrip())


TEXT = HEADER.read_text()
PAGES = pages(TEXT)
CALLS = {name for page in PAGES for name in page.names()}
STATUSES = dict(pair for page in PAGES for _, pairs in page.lists for pair in pairs if pair[0].startswith("DROM_E_"))


def main() -> int:
    if sys.argv[1:] == ["--list"]:
        print(OVERVIEW)
        for page in PAGES:
            print(page.name, *page.names())
    elif len(sys.argv) == 3 and sys.argv[1] == "--page":
        found = [page for page in PAGES if page.name == sys.argv[2]]
        if not found and sys.argv[2] != OVERVIEW:
            sys.exit(f"manual.py: drom.h has no page {sys.argv[2]}")
        print(shown(found[0]) if found else overview(TEXT))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
