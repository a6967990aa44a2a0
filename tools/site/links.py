# SPDX-License-Identifier: BSD-3-Clause
"""links.py - what is on a page: its links, its anchors, and its sections as text. Pure."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HEADINGS = ("h1", "h2", "h3")
AROUND = ("header", "nav", "aside", "script", "style")  # not the document's own text


@dataclass
class Section:
    anchor: str
    title: str = ""
    text: str = ""


@dataclass
class Page:
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    sections: list[Section] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.around = 0
        self.heading = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attributes}
        self.page.links += [of[name] for name in ("href", "src") if name in of]
        if "id" in of:
            self.page.anchors.add(of["id"])
        self.around += tag in AROUND
        if tag in HEADINGS and not self.around:
            self.heading = True
            self.page.sections.append(Section(of.get("id", "")))

    def handle_endtag(self, tag: str) -> None:
        self.around -= tag in AROUND
        self.heading = self.heading and tag not in HEADINGS

    def handle_data(self, data: str) -> None:
        if self.around or not self.page.sections:
            return
        if self.heading:
            self.page.sections[-1].title += data
        else:
            self.page.sections[-1].text += data


def read(html: str) -> Page:
    reader = _Reader()
    reader.feed(html)
    for section in reader.page.sections:
        section.title, section.text = (re.sub(r"\s+", " ", text).strip() for text in (section.title, section.text))
    return reader.page


def broken(folder: Path, pages: dict[Path, Page]) -> list[str]:
    """Returns a sentence per link that leads nowhere. Links to other sites are not followed."""
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            name = f"{path.relative_to(folder)}: link to {link}"
            if not target.exists():
                found.append(f"{name}, which is not there")
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{name}: there is no such heading")
    return found
