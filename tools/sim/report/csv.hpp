// SPDX-License-Identifier: BSD-3-Clause
// csv.hpp - tables as comma-separated values: a table of columns writes the header, the rows and the document.
//
// RFC 4180 but for the ends of lines, which are single line feeds, as the tools that read tables here want them. A
// number that does not exist (the end of a job that was still running) is an empty field.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace drom::sim {

using CsvText = fmt::memory_buffer;

constexpr std::size_t kCsvChunk = std::size_t{1} << 18;  ///< bytes that are gathered before they are written

/// A column whose fields are made of a Row.
template <class Row>
struct CsvColumn {
    const char* name;
    const char* unit;  ///< empty: a number or a name
    const char* text;  ///< one sentence without its point
    void (*put)(CsvText&, const Row&);
};

void put_text(CsvText& text, std::string_view what);  ///< quoted when it must be (RFC 4180, rules 5 to 7)
void put_integer(CsvText& text, std::int64_t number);
void put_decimals(CsvText& text, double number);                     ///< with four decimals; nothing for NaN
void put_number(CsvText& text, double number);                       ///< as many digits as it has
void put_ids(CsvText& text, std::span<const std::int64_t> ids);      ///< separated by blanks
void put_flag(CsvText& text, bool set);                              ///< 1 or 0
void put_date(CsvText& text, std::int64_t zero, std::int64_t time);  ///< nothing where the zero is unknown

template <class Row>
void put_header(CsvText& text, std::span<const CsvColumn<Row>> columns) {
    for (const CsvColumn<Row>& column : columns) {
        if (&column != columns.data()) text.push_back(',');
        put_text(text, column.name);
    }
}

template <class Row>
void put_row(CsvText& text, std::span<const CsvColumn<Row>> columns, const Row& row) {
    for (const CsvColumn<Row>& column : columns) {
        if (&column != columns.data()) text.push_back(',');
        column.put(text, row);
    }
}

/// Returns the columns as rows of a Markdown table under a heading.
template <class Row>
std::string columns_markdown(const char* heading, std::span<const CsvColumn<Row>> columns) {
    std::string text = fmt::format("### {}\n\n| column | unit | meaning |\n|---|---|---|\n", heading);
    for (const CsvColumn<Row>& column : columns)
        text += fmt::format("| `{}` | {} | {} |\n", column.name, column.unit, column.text);
    return text;
}

}  // namespace drom::sim
