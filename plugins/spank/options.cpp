// SPDX-License-Identifier: GPL-2.0-or-later
// options.cpp - what --malleable, --drom-min-per-rank, --drom-resize and --no-drom said in this process.
#include "options.hpp"

#include <exception>

#include "common/slurm_text.hpp"
#include "slurm_spank.hpp"

namespace drom::slurm {

namespace {

Options g_options;

/// Returns Slurm's answer to a value: it ends the command when it is not 0.
template <class Value>
int take(std::optional<Value>& option, const Parsed<Value>& parsed, bool on_node) {
    if (parsed) {
        option = *parsed;
        return 0;
    }
    if (on_node) {
        slurm_info("spank_drom: %s; the job runs as without this option", parsed.error().c_str());
        return 0;
    }
    slurm_error("%s", parsed.error().c_str());
    return -1;
}

/// Returns the option's value. A step may inherit the option of its job through the environment.
std::string_view given(const char* argument) { return option_value(text_of(argument)); }

int take_malleable(int, const char* argument, int remote) try {
    return take(g_options.range, parse_malleable(given(argument)), remote != 0);
} catch (const std::exception&) {
    return -1;
}

int take_min_per_rank(int, const char* argument, int remote) try {
    return take(g_options.min_per_rank, parse_min_per_rank(given(argument)), remote != 0);
} catch (const std::exception&) {
    return -1;
}

int take_resize(int, const char* argument, int remote) try {
    return take(g_options.resize, parse_resize(given(argument)), remote != 0);
} catch (const std::exception&) {
    return -1;
}

int take_off(int, const char*, int) {
    g_options.off = true;
    return 0;
}

// Slurm's struct has pointers to char that it does not write to.
char* name(const char* text) { return const_cast<char*>(text); }

enum Argument : int { kNone = 0, kRequired = 1, kOptional = 2 };

}  // namespace

const Options& options() { return g_options; }

void register_options(spank_handle* spank) {
    static spank_option all[] = {
        {name("malleable"), name("MIN[-MAX]"),
         name(
             "the job can run with fewer CPUs on each node, at least MIN (1), at most MAX (all it was given); drom may "
             "shrink and expand it"),
         kOptional, 1, take_malleable},
        {name("drom-min-per-rank"), name("N"), name("CPUs that each rank of a malleable job keeps"), kRequired, 2,
         take_min_per_rank},
        {name("no-drom"), nullptr, name("drom leaves this job or step alone, whatever else says --malleable"), kNone, 3,
         take_off},
        {name("drom-resize"), name("WAY"),
         name("whether OpenMP teams of a malleable job keep their size or follow the CPUs: keep, follow or auto (keep, "
              "unless the program says otherwise)"),
         kRequired, 4, take_resize},
    };
    for (spank_option& option : all)
        if (spank_option_register(spank, &option) != ESPANK_SUCCESS)
            slurm_info("spank_drom: Slurm refused the option --%s; does another plugin have it?", option.name);
}

}  // namespace drom::slurm
