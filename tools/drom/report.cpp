// SPDX-License-Identifier: BSD-3-Clause
// report.cpp - what a person is told, and with which exit status.
#include "report.hpp"

#include <cstdio>

#include "output_json.hpp"

namespace drom::command {

int exit_of(int status) {
    if (status == DROM_PENDING) return kPosted;
    if (status == DROM_E_CORRUPT) return kDamaged;
    return status < 0 ? kRefused : kDone;
}

void complain(const std::string& sentence) { std::fprintf(stderr, "%s\n", sentence.c_str()); }

int refused(const Options& options, const Error& error) {
    complain(error.text);
    if (options.json) print(error_json(options.verb, error));
    return exit_of(error.status);
}

int misused(const Options& options, const std::string& text) {
    const Error error = sentence(options, DROM_E_INVAL, text);
    complain(error.text);
    if (options.json) print(error_json(options.verb, error));
    return kUsage;
}

void warn(const Options& options, const std::string& text) {
    if (!options.quiet) complain(sentence(options, DROM_OK, text).text);
}

void mention(const Options& options, const std::string& text) {
    if (options.verbose) complain(sentence(options, DROM_OK, text).text);
}

bool print(const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

Error sentence(const Options& options, int status, const std::string& text) {
    return {status, "drom: " + options.verb + ": " + text};
}

}  // namespace drom::command
