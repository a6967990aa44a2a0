// SPDX-License-Identifier: GPL-2.0-or-later
// arguments.hpp - what stands behind spank_drom.so in plugstack.conf. Pure.
#pragma once

#include <string>
#include <vector>

namespace drom::slurm {

struct Arguments {
    std::string lib;       ///< lib=DIR: where drom's libraries are; empty: above the plugin, as in an installation
    std::string table;     ///< table=DIR, %n is the node's name: the node's table; empty: no CPUs are moved
    std::string topology;  ///< topology=DESCRIPTION, with commas for blanks: a virtual node
    double sharing_factor = 0.5;  ///< sharing_factor=F, above 0 and below 1

    std::vector<std::string> wrong;  ///< a sentence for each that was not understood
};

Arguments read_arguments(int argc, const char* const argv[]);

/// The table's directory on this node.
std::string table_of(const Arguments& arguments, const std::string& node);

}  // namespace drom::slurm
