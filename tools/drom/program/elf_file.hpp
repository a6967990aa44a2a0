// SPDX-License-Identifier: BSD-3-Clause
// elf_file.hpp - what the ELF headers of an executable say. Believes nothing it has not checked.
#pragma once

#include <string>

namespace drom::command {

enum class ElfKind {
    kNotElf,
    kForeign,  ///< of another word size or machine: our libraries cannot be loaded into it
    kStatic,   ///< no program interpreter: nothing can be preloaded
    kDynamic,
};

struct ElfFile {
    ElfKind kind = ElfKind::kNotElf;
    std::string interpreter;  ///< the dynamic loader; empty: none
    std::string build_id;     ///< hexadecimal; empty: none
    std::string names;        ///< of all dynamic symbols and libraries, each ended by a null character
    bool is_script = false;
    /// Returns whether a function of this name is one that it calls or has.
    [[nodiscard]] bool mentions(const std::string& name) const {
        return names.find(std::string(1, '\0') + name + '\0') != std::string::npos;
    }
};

/// Reads a file; kNotElf when it cannot be read. About 20 us.
ElfFile read_elf(const std::string& path);

/// Returns "fnv1a:HASH:SIZE" of the whole file, in place of a build id where the linker wrote none.
std::string content_id(const std::string& path);

}  // namespace drom::command
