// SPDX-License-Identifier: BSD-3-Clause
// messages.hpp - messages for people, and the exit statuses that belong to them.
#pragma once

#include <string>

#include "drom/drom.hpp"

namespace drom::command {

enum Exit : int { kDone = 0, kRefused = 1, kUsage = 2, kPosted = 3, kDamaged = 4 };

/// The parts of the command line that every sentence and every exit needs.
struct Asked {
    std::string verb;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};

/// Returns the exit status that a status of drom.h means.
int exit_of(int status);

/// Prints the sentence on stderr, with --json also an object on stdout; returns the exit status.
int refused(const Asked& asked, const Error& error);

/// Prints and returns the same for a command line that asks for something that cannot be meant.
int misused(const Asked& asked, const std::string& text);
/// Prints why a CPU set is not used, and returns the exit status. A set that cannot be read is a misuse; one that names
/// what this machine has not is refused, as the table refuses a CPU.
int refused_cpus(const Asked& asked, const std::string& from, const Error& error);

/// Prints a finished sentence on stderr.
void complain(const std::string& sentence);

/// Prints "drom: VERB: text" on stderr, unless --quiet.
void warn(const Asked& asked, const std::string& text);
/// Prints the same, only with --verbose.
void mention(const Asked& asked, const std::string& text);

/// Writes all of `text` to stdout at once; false when no reader is left.
bool print(const std::string& text);

/// Returns the exit status of a verb ("": of none) that would end with `status`. Output that was lost makes it a
/// failure, and is told. A reader that has gone away is not told of: it has read what it wanted.
int with_output(const std::string& verb, int status);

/// Returns a sentence of this program: "drom: VERB: text".
Error sentence(const Asked& asked, int status, const std::string& text);

}  // namespace drom::command
