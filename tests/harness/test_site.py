#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_site.py - the documents as pages: links that lead somewhere, sections that are found, versions beside each
other. The whole site is made once, into build/dev/site."""

import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "site"))

import links  # noqa: E402
import pages  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


class Pages(unittest.TestCase):
    def test_each_file_has_a_page_and_links_lead_there(self) -> None:
        for name, page in (("README.md", "index.html"), ("docs/user/guide.md", "user/guide.html"), ("docs/images/timeline.svg", "images/timeline.svg"),
                           ("examples/heat.cpp", "source/examples/heat.cpp.html")):
            self.assertEqual(pages.page_of(ROOT / name), page)
        document = pages.Document("user/guide.html", "", "", source=ROOT / "docs/user/guide.md")
        made = '<a href="container.md#try-it">a</a> <a href="../admin/node.md">b</a> <a href="https://example.org/x.md">c</a> <a href="#here">d</a>'
        self.assertEqual(pages.rewritten(made, document),
                         '<a href="container.html#try-it">a</a> <a href="../admin/node.html">b</a> <a href="https://example.org/x.md">c</a> <a href="#here">d</a>')

    def test_a_row_without_a_reader_belongs_to_the_one_before(self) -> None:
        index = "| reader | document | what |\n| --- | --- | --- |\n| user | [Guide](user/guide.md) | a |\n| | [Concepts](user/concepts.md) | b |\n"
        self.assertEqual(pages.readers_of(index), [pages.Reader("User", [("Guide", "user/guide.html"), ("Concepts", "user/concepts.html")])])

    def test_a_manual_page_refers_to_others_and_has_no_frame(self) -> None:
        fragment = '<table class="head"><tr></tr></table><h1 id="A">A</h1><h2>B</h2><pre>a,\n<br/>\n    b</pre> <b>drom</b>(1), <b>ls</b>(1)'
        self.assertEqual(pages.referring(pages.without_frame(fragment), {"drom.1": "manual/drom.1.html"}),
                         '<h2 id="A">A</h2><h3>B</h3><pre>a,\n    b</pre> <a href="drom.1.html"><b>drom</b>(1)</a>, <b>ls</b>(1)')

    def test_the_newest_version_is_the_one_with_the_largest_numbers(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for version in ("0.9.0", "0.10.0", "0.2.0"):
                (Path(folder) / version).mkdir()
                (Path(folder) / version / "sections.js").touch()
            pages.write_versions(Path(folder))
            self.assertIn('["0.10.0", "0.9.0", "0.2.0"]', (Path(folder) / "versions.js").read_text())
            self.assertIn('href="0.10.0/index.html"', (Path(folder) / "index.html").read_text())


class Links(unittest.TestCase):
    def test_one_that_leads_nowhere_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            texts = {"a.html": '<h1 id="top">A</h1><a href="b.html#there">1</a><a href="b.html#not">2</a><a href="c.html">3</a><a href="#top">4</a>'
                               '<a href="https://example.org/gone">5</a>', "b.html": '<h2 id="there">B</h2>'}
            for page, text in texts.items():
                (folder / page).write_text(text)
            self.assertEqual(links.broken(folder, {folder / page: links.read(text) for page, text in texts.items()}),
                             ["a.html: link to b.html#not: there is no such heading", "a.html: link to c.html, which is not there"])

    def test_sections_are_the_document_s_own_text(self) -> None:
        page = links.read('<nav><h2>No</h2>list</nav><h1 id="a">One <code>x</code></h1><p>first\n words</p><h2 id="b">Two</h2>more<script>code</script>')
        self.assertEqual([(section.anchor, section.title, section.text) for section in page.sections], [("a", "One x", "first words"), ("b", "Two", "more")])


class Site(unittest.TestCase):
    """The whole of it."""

    @classmethod
    def setUpClass(cls) -> None:
        missing = [program for program in ("pandoc", "mandoc", "scdoc") if shutil.which(program) is None]
        if missing and os.environ.get("CI") != "true":
            raise unittest.SkipTest(f"{missing[0]} is missing; scripts/packages.sh site installs it")
        cls.out = Path(os.environ["DROM_BUILD"]) / "site"
        shutil.rmtree(cls.out, ignore_errors=True)
        cls.count = pages.build(cls.out, "0.1.0")

    def test_every_document_is_there_and_no_link_leads_nowhere(self) -> None:
        self.assertGreater(self.count, len(list((ROOT / "docs").rglob("*.md"))) + 20)
        for page in ("index.html", "user/guide.html", "results/numbers.html", "manual/drom.1.html", "manual/drom_set_mask.3.html", "images/timeline.svg"):
            self.assertTrue((self.out / "0.1.0" / page).is_file(), page)

    def test_the_search_knows_sections_of_documents_and_of_manual_pages(self) -> None:
        text = (self.out / "0.1.0" / "sections.js").read_text()
        sections = json.loads(text.removeprefix("const sections = ").rstrip().removesuffix(";"))
        at = {section["at"]: section for section in sections}
        self.assertIn("--rigid", at["user/guide.html#start-a-program-under-drom"]["text"])
        self.assertEqual(at["manual/drom_set_mask.3.html#SYNOPSIS"]["page"], "drom_set_mask(3)")

    def test_another_version_stays_beside_it(self) -> None:
        (self.out / "0.0.9").mkdir(exist_ok=True)
        (self.out / "0.0.9" / "sections.js").touch()
        pages.write_versions(self.out)
        self.assertIn('["0.1.0", "0.0.9"]', (self.out / "versions.js").read_text())

    def test_a_link_that_leads_nowhere_leaves_the_pages_as_they_were(self) -> None:
        before = (self.out / "0.1.0" / "index.html").read_text()
        whole = pages.documents
        pages.documents = lambda: [*whole(), pages.Document("broken.html", "Broken", "# Broken\n\n[gone](gone.md)\n", source=ROOT / "docs/gone")]
        try:
            with self.assertRaisesRegex(pages.Failure, "broken.html: link to gone.md, which is not there"):
                pages.build(self.out, "0.1.0")
        finally:
            pages.documents = whole
        self.assertEqual((self.out / "0.1.0" / "index.html").read_text(), before)
        self.assertFalse((self.out / "0.1.0" / "broken.html").exists())


if __name__ == "__main__":
    unittest.main()
