// SPDX-License-Identifier: BSD-3-Clause
// messages.cpp - messages for people, and the exit statuses that belong to them.
#include "output/messages.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "output/json.hpp"
#include "text/visible.hpp"

namespace drom::command {

int exit_of(int status) {
    if (status == DROM_PENDING) return kPosted;
    if (status == DROM_E_CORRUPT) return kDamaged;
    return status < 0 ? kRefused : kDone;
}

void complain(const std::string& sentence) { std::fprintf(stderr, "%s\n", visible(sentence).c_str()); }

namespace {

/// Retells an error of the library. The library names its own call, "drom: reserve 4242: ..."; a person has typed a
/// verb, and no pid.
Error retold(const Asked& asked, const Error& error) {
    for (const char* call : {"drom: reserve ", "drom: get "}) {
        if (!error.text.starts_with(call)) continue;
        const size_t colon = error.text.find(": ", std::string_view(call).size());
        if (colon != std::string::npos) return sentence(asked, error.status, error.text.substr(colon + 2));
    }
    return error;
}

}  // namespace

int refused(const Asked& asked, const Error& library_error) {
    const Error error = retold(asked, library_error);
    complain(error.text);
    if (asked.json) print(error_json(asked.verb, error));
    return exit_of(error.status);
}

int misused(const Asked& asked, const std::string& text) {
    const Error error = sentence(asked, DROM_E_INVAL, text);
    complain(error.text);
    if (asked.json) print(error_json(asked.verb, error));
    return kUsage;
}

int refused_cpus(const Asked& asked, const std::string& from, const Error& error) {
    const std::string text = from + " " + error.text;
    if (error.status != DROM_E_NOCPU) return misused(asked, text);
    return refused(asked, sentence(asked, error.status, text));
}

void warn(const Asked& asked, const std::string& text) {
    if (!asked.quiet) complain(sentence(asked, DROM_OK, text).text);
}

void mention(const Asked& asked, const std::string& text) {
    if (asked.verbose) complain(sentence(asked, DROM_OK, text).text);
}

namespace {
/// errno of the first output that was lost; 0: none was.
int lost_output = 0;
}  // namespace

bool print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return true;
    if (lost_output == 0) lost_output = errno;
    return false;
}

int with_output(const std::string& verb, int status) {
    if (lost_output == 0 || lost_output == EPIPE) return status;
    complain(fmt::format("drom: {}its output cannot be written: {}", verb.empty() ? "" : verb + ": ",
                         std::strerror(lost_output)));
    return status == kDone ? kRefused : status;
}

Error sentence(const Asked& asked, int status, const std::string& text) {
    return {status, "drom: " + asked.verb + ": " + text};
}

}  // namespace drom::command
