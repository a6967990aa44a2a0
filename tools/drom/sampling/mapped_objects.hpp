// SPDX-License-Identifier: BSD-3-Clause
// mapped_objects.hpp - which file's code an address of a process is in: the MPI library's, the OpenMP runtime's, or the
// program's own. A process can name its files as it likes, so the answer is only about that process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace drom::command {

enum class Code : uint8_t {
    kProgram,  ///< the program and its libraries
    kMpi,      ///< the MPI library and its transports
    kOpenMp,   ///< the OpenMP runtime
    kSystem    ///< libc, the loader, the kernel's vDSO: at work for their caller
};

/// Returns what a file of this name has inside.
Code code_of(std::string_view path);

class MappedObjects {
public:
    /// Reads the text of /proc/PID/maps. Skips lines that are none, and all behind the first 65,536.
    static MappedObjects parse(std::string_view maps);
    /// Reads the file of a process; empty when it has ended or may not be looked at.
    static MappedObjects of(pid_t pid);

    /// Returns what code is at this address; nothing where no file's code is.
    [[nodiscard]] std::optional<Code> at(uint64_t address) const;

    /// Returns for whom a thread works whose next instruction is at `address`. Below code of the system that is the
    /// nearest caller on the stack. Code without a file, such as that of a just-in-time compiler, is the program's.
    [[nodiscard]] Code caller_at(uint64_t address, std::span<const uint64_t> stack) const;

    [[nodiscard]] size_t size() const { return ranges_.size(); }

private:
    struct Range {
        uint64_t begin;
        uint64_t end;
        Code code;
    };
    std::vector<Range> ranges_;  ///< executable ones, by address
};

}  // namespace drom::command
