#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pages.py - the documents as static pages, with a search and the manual pages; works from files, without a server.

  pages.py --out DIR [--version NAME]

Called by scripts/site.sh. DIR gets a folder for this version, and a page that leads to the newest. Other versions that
are there stay. Exit status: 0 done, 1 a link leads nowhere or a program is missing, 2 usage.
"""

import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import links

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
LUNR = Path("/usr/share/javascript/lunr/lunr.min.js")
INDEX = ROOT / "docs" / "index.md"
AT_TOP = {"README.md": "index.html", "CONTRIBUTING.md": "contributing.html", "CHANGELOG.md": "changes.html", "docs/index.md": "documents.html"}
PICTURES = (".svg", ".png")
MANUALS = "Manual pages"
HEADINGS_WORTH_A_LIST = 3
LONGEST_S = 300  # of a program that makes a page; the largest page takes three seconds


class Failure(Exception):
    """One sentence: what went wrong."""


@dataclass
class Document:
    """A page to be: `text` in pandoc's `format`. `source`: where its links start from."""

    page: str
    title: str
    text: str
    format: str = "gfm+raw_attribute"
    source: Path = ROOT


@dataclass
class Reader:
    """A group of the list beside each page."""

    name: str
    documents: list[tuple[str, str]] = field(default_factory=list)  # title, page


# --- pure ---

def page_of(path: Path) -> str:
    """Returns the page of a file of the project: a document's own, or one that shows its lines."""
    name = path.relative_to(ROOT).as_posix()
    if name in AT_TOP:
        return AT_TOP[name]
    if path.suffix == ".md" and name.startswith("docs/"):
        return name.removeprefix("docs/").removesuffix(".md") + ".html"
    return name.removeprefix("docs/") if path.suffix in PICTURES else f"source/{name}.html"


def relative(page: str, target: str) -> str:
    return os.path.relpath(target, os.path.dirname(page) or ".")


def title_of(text: str) -> str:
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found.group(1).replace("`", "") if found else ""


def readers_of(index: str) -> list[Reader]:
    """Returns the groups of docs/index.md; a row without a reader belongs to the one before."""
    readers: list[Reader] = []
    for reader, title, target in re.findall(r"^\| ([^|]*?) ?\| \[([^\]]+)\]\(([^)]+)\) \|", index, re.MULTILINE):
        if reader:
            readers.append(Reader(reader[0].upper() + reader[1:]))
        readers[-1].documents.append((title, page_of((INDEX.parent / target).resolve())))
    return readers


def local_links(text: str) -> Iterator[str]:
    """Yields the paths that a document links to."""
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        parts = urlsplit(target)
        if not parts.scheme and parts.path:
            yield parts.path


def rewritten(made: str, document: Document) -> str:
    """Returns the page with links to files of the project turned into links to their pages."""
    def change(found: re.Match) -> str:
        attribute, link = found.groups()
        parts = urlsplit(html.unescape(link))
        path = (document.source.parent / parts.path).resolve()
        if parts.scheme or not parts.path or not path.is_relative_to(ROOT) or not path.exists():
            return found.group(0)
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return f'{attribute}="{relative(document.page, page_of(path))}{fragment}"'

    return re.sub(r'\b(href|src)="([^"]*)"', change, made)


def without_frame(fragment: str) -> str:
    """Returns mandoc's page without the lines at its top and bottom, with headings below that of the page. A line of
    code that is indented has no empty ones before it."""
    text = re.sub(r'<table class="(head|foot)">.*?</table>', "", fragment, flags=re.DOTALL)
    for level in (2, 1):
        text = re.sub(rf"(</?h){level}\b", rf"\g<1>{level + 1}", text)
    return text.replace("\n<br/>\n", "\n")


def referring(fragment: str, pages: dict[str, str]) -> str:
    """Returns a manual page whose references, such as drom(1), are links."""
    def change(found: re.Match) -> str:
        page = pages.get(f"{found.group(1)}.{found.group(2)}")
        return f'<a href="{os.path.basename(page)}">{found.group(0)}</a>' if page else found.group(0)

    return re.sub(r"<b>([\w-]+)</b>\((\d)\)", change, fragment)


def raw(text: str) -> str:
    """Returns the text as metadata that pandoc does not read as Markdown."""
    return f"`{html.escape(text)}`{{=html}}"


def variables(document: Document, readers: list[Reader], version: str) -> dict:
    """Returns what page.html shows around the document."""
    def group(reader: Reader) -> dict:
        listed = [{"title": raw(title), "page": raw(page), "here": page == document.page} for title, page in reader.documents]
        return {"name": raw(reader.name), "documents": listed, "open": any(one["here"] for one in listed) or (document.page == "index.html" and reader.name != MANUALS)}

    up = "../" * document.page.count("/")
    return {"title": raw(document.title), "version": raw(version), "root": raw(up) if up else "", "readers": [group(reader) for reader in readers]}


# --- the pages ---

def run(command: list[str], text: str) -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=LONGEST_S)
    except FileNotFoundError:
        raise Failure(f"{command[0]} is missing; scripts/packages.sh site installs it") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[0]} did not end within {LONGEST_S} s") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def documents() -> list[Document]:
    """Returns the documents, and the files that they link to as pages that show their lines."""
    sources = [ROOT / name for name in AT_TOP if not name.startswith("docs/")] + sorted((ROOT / "docs").rglob("*.md"))
    found = [Document(page_of(path), title_of(path.read_text()), path.read_text(), source=path) for path in sources]
    shown = {(one.source.parent / target).resolve() for one in found for target in local_links(one.text)}
    shown |= {file for folder in shown if folder.is_dir() for file in folder.iterdir()}
    return found + [shown_file(path) for path in sorted(shown) if path.exists() and path not in sources and path.suffix not in PICTURES]


def shown_file(path: Path) -> Document:
    """Returns a page with the lines of a file, or with the files of a folder."""
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        return Document(page_of(path), name, f"# {name}\n\n" + "".join(f"* [{file.name}]({name}/{file.name})\n" for file in sorted(path.iterdir())), source=ROOT / "any")
    return Document(page_of(path), name, f"# {name}\n\n~~~~~~\n{path.read_text()}\n~~~~~~\n", source=path)


def manuals() -> list[Document]:
    """Returns the manual pages; those of section 3 are made from the comments of drom.h."""
    made = {path.stem: path.read_text() for path in sorted((ROOT / "docs/reference/man").glob("*.scd"))}
    maker = [sys.executable, str(ROOT / "scripts/manual.py")]
    for line in run([*maker, "--list"], "").splitlines():
        name = line.split()[0]
        made[f"{name}.3"] = run([*maker, "--page", name], "")
    pages = {name: f"manual/{name}.html" for name in made}
    by_section = sorted(made, key=lambda name: name.rpartition(".")[::-1])
    return [manual(name, made[name], pages) for name in by_section]


def manual(name: str, text: str, pages: dict[str, str]) -> Document:
    title = f"{name.rpartition('.')[0]}({name.rpartition('.')[2]})"
    fragment = without_frame(run(["mandoc", "-T", "html", "-O", "fragment"], run(["scdoc"], text)))
    return Document(pages[name], title, f"# {title}\n\n~~~~~~{{=html}}\n{referring(fragment, pages)}\n~~~~~~\n", "markdown")


def made_page(document: Document, readers: list[Reader], version: str) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as around:
        json.dump(variables(document, readers, version), around)
        around.flush()
        wide = document.format != "markdown" and len(re.findall(r"^## ", document.text, re.MULTILINE)) >= HEADINGS_WORTH_A_LIST
        command = ["pandoc", "-f", document.format, "-t", "html5", "--template", str(HERE / "page.html"), "--no-highlight", "--metadata-file", around.name]
        return rewritten(run([*command, *(["--toc", "--toc-depth=2"] if wide else [])], document.text), document)


def sections_of(pages: dict[str, links.Page]) -> list[dict]:
    """Returns what the search knows."""
    return [{"at": f"{name}#{section.anchor}" if section.anchor else name, "page": page.sections[0].title, "title": section.title, "text": section.text}
            for name, page in pages.items() for section in page.sections]


def fill(folder: Path, version: str) -> int:
    """Writes all pages of this version. Returns how many there are. Failure: a link leads nowhere."""
    readers = readers_of(INDEX.read_text())
    by_hand = manuals()
    readers.append(Reader(MANUALS, [(one.title, one.page) for one in by_hand]))
    wanted = documents() + by_hand
    with ThreadPoolExecutor(os.cpu_count()) as makers:
        made = dict(zip([one.page for one in wanted], makers.map(lambda one: made_page(one, readers, version), wanted), strict=True))
    for page, text in made.items():
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "docs/images", folder / "images")
    for name in ("style.css", "search.js"):
        shutil.copy(HERE / name, folder)
    if not LUNR.exists():
        raise Failure(f"{LUNR} is missing; scripts/packages.sh site installs it")
    shutil.copy(LUNR, folder / "lunr.js")
    pages = {page: links.read(text) for page, text in made.items()}
    (folder / "sections.js").write_text(f"const sections = {json.dumps(sections_of(pages))};\n", encoding="utf-8")
    if nowhere := links.broken(folder, {folder / page: read for page, read in pages.items()}):
        raise Failure("; ".join(nowhere[:10]))
    return len(pages)


def order(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]


def write_versions(out: Path) -> None:
    """Lists the versions that are there, the newest first, which index.html leads to."""
    names = sorted((path.parent.name for path in out.glob("*/sections.js")), key=order, reverse=True)
    (out / "versions.js").write_text(f"const versions = {json.dumps(names)};\n", encoding="utf-8")
    (out / "index.html").write_text(f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>drom</title>\n<meta http-equiv="refresh" content="0; url={names[0]}/index.html">\n'
                                    f'<a href="{names[0]}/index.html">drom {names[0]}</a>\n', encoding="utf-8")


def project_version() -> str:
    return re.search(r"^project\(drom VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)


def build(out: Path, version: str) -> int:
    """Builds this version beside the others. The pages of it that were there go only when the new ones are whole."""
    out.mkdir(parents=True, exist_ok=True)
    folder = out / version
    fresh = Path(tempfile.mkdtemp(prefix=".site-", dir=out))
    try:
        (out / "versions.js").touch()
        count = fill(fresh, version)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.chmod(0o755)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    write_versions(out)
    return count


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/site.sh", allow_abbrev=False, description="The documents as static pages.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="folder of all versions (default build/site)")
    parser.add_argument("--version", help="name of this version (default: the project's)")
    given = parser.parse_args()
    version = given.version or project_version()
    if not re.fullmatch(r"[\w.+-]+", version) or version.startswith("."):
        parser.error(f"--version {version}: letters, digits and . _ + - only, because it names a folder")
    try:
        count = build(given.out, version)
    except (Failure, OSError) as failure:
        print(f"site: {failure}", file=sys.stderr)
        return 1
    print(f"site: {count} pages, no link leads nowhere; open {given.out / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
