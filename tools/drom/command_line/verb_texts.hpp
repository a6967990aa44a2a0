// SPDX-License-Identifier: BSD-3-Clause
// verb_texts.hpp - what each verb is called, takes and does: the text of the help.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drom::command {

struct VerbText {
    std::string_view name;
    std::string_view arguments;  ///< "CLIENT MASK"
    std::string_view summary;    ///< one line, no full stop
    std::string_view details;    ///< paragraphs for --help
    std::string_view examples;   ///< "command   # what it does" lines
};

std::span<const VerbText> verb_texts();
const VerbText* find_verb(std::string_view name);

}  // namespace drom::command
