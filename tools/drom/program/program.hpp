// SPDX-License-Identifier: BSD-3-Clause
// program.hpp - what kind of program a command is, before it is started.
#pragma once

#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

enum class ProgramKind { kDynamic, kStatic, kScript, kForeign };

struct Program {
    std::string path;
    ProgramKind kind = ProgramKind::kDynamic;
    bool secure = false;  ///< set-uid or set-gid: the loader ignores LD_PRELOAD
    bool llvm = false;    ///< needs an OpenMP runtime of the LLVM family
    bool gomp = false;    ///< needs GCC's
    bool mpi = false;     ///< needs an MPI library
    /// Calls omp_set_dynamic, OpenMP's own word for a team that may change; or drom_on_change.
    bool sets_dynamic = false;
    /// The library of AddressSanitizer that it needs, which ends a process where it is not loaded first.
    std::string sanitizer;
    std::string build_id;
    std::vector<std::string> own_libraries;  ///< paths of those that are not the system's and not ours
    [[nodiscard]] bool openmp() const { return llvm || gomp; }
};

/// The exit statuses of a shell for a command that it cannot start.
enum ExecFailure : int { kCannotExecute = 126, kNotFound = 127 };

/// A command that cannot be started: 126 or 127, and why (the sentence begins after "drom: VERB: ").
struct NotAProgram {
    int exit_status;
    std::string text;
};

tl::expected<Program, NotAProgram> inspect_program(const std::string& command);

/// Names the files of the program: its build id and, where it has libraries that are not the system's, a hash of
/// theirs. A record holds for exactly these files. A file without a build id is read whole.
std::string objects_id(const Program& program);

/// Returns the same words for an exec that failed.
NotAProgram not_executable(const std::string& command, int code);

}  // namespace drom::command
