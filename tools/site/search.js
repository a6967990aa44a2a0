// SPDX-License-Identifier: BSD-3-Clause
// search.js - finds sections by words, and leads to the other versions. Works without a server: its data are scripts.
"use strict";

const field = document.getElementById("search");
const found = document.getElementById("found");
const root = field.dataset.root;
let index = null;

function made_index() {
  return lunr(function () {
    this.ref("number");
    this.field("title", { boost: 5 });
    this.field("page", { boost: 2 });
    this.field("text");
    // Names of variables, options and calls are found as they are written, and by their parts.
    this.tokenizer.separator = /[\s\-/|(){}[\]`'"=:,;]+/;
    sections.forEach((section, number) => this.add({ number: number, ...section }));
  });
}

/// Returns the text around the first of the words.
function excerpt(text, words) {
  const at = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((where) => where >= 0), text.length);
  const begin = Math.max(0, (at === text.length ? 0 : at) - 80);
  return (begin > 0 ? "... " : "") + text.slice(begin, begin + 220) + (begin + 220 < text.length ? " ..." : "");
}

function line_of(section, words) {
  const link = document.createElement("a");
  link.href = root + section.at;
  link.textContent = section.title === section.page ? section.page : section.page + ": " + section.title;
  const text = document.createElement("p");
  text.textContent = excerpt(section.text, words);
  return [link, text];
}

function matches(words) {
  index = index || made_index();
  const terms = words.map((word) => word.replace(/[~^*+\-:]/g, " ").trim().split(/\s+/)).flat().filter((term) => term !== "");
  return index.query((query) => {
    for (const term of terms) {
      query.term(term, { boost: 10, usePipeline: true });
      query.term(term, { wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false });
    }
  });
}

/// Returns the sections that have all words, or those that have some where none has all.
function sections_with(words) {
  const some = matches(words).map((match) => sections[match.ref]);
  const all = some.filter((section) => words.every((word) => (section.title + " " + section.text).toLowerCase().includes(word)));
  return all.length > 0 ? all : some;
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  found.hidden = words.length === 0;
  if (words.length === 0) return;
  const lines = sections_with(words).slice(0, 12).map((section) => line_of(section, words)).flat();
  const none = document.createElement("p");
  none.textContent = "No section has these words.";
  found.replaceChildren(...(lines.length > 0 ? lines : [none]));
}

field.addEventListener("input", search);
field.value = new URLSearchParams(location.search).get("q") || "";
search();
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape") {
    field.value = "";
    search();
  }
});

const select = document.getElementById("versions");
const present = select.value;
select.replaceChildren(...versions.map((version) => new Option(version, version, false, version === present)));
select.addEventListener("change", () => { location.href = root + "../" + select.value + "/index.html"; });
