// SPDX-License-Identifier: BSD-3-Clause
// main.cpp - the command `drom-sim`: reads the command line and hands it to the verb.
#include <cstdio>
#include <exception>

#include "cli/options.hpp"

int main(int argc, char** argv) {
    using namespace drom::sim;
    // Only memory exhaustion can throw here, or a broken installation of a library.
    try {
        const auto options = parse_options(argc, argv);
        if (!options) return options.error();
        if (options->verb == "compare") return verb_compare(*options);
        if (options->verb == "replay") return verb_replay(*options);
        if (options->verb == "policies") return verb_policies(*options);
        if (options->verb == "import") return verb_import(*options);
        if (options->verb == "place") return verb_place(*options);
        return options->verb == "generate" ? verb_generate(*options) : verb_run(*options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "drom-sim: %s\n", error.what());
        return kRefused;
    }
}
