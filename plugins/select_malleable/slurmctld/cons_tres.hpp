// SPDX-License-Identifier: GPL-2.0-or-later
// cons_tres.hpp - the select plugin of Slurm's own behind ours: it keeps the books of all cores, and answers everything
// that is not about sharing.
#pragma once

#include "plugin_functions.hpp"

#include <string>
#include <vector>

namespace drom::slurm {

/// Its functions, once load_cons_tres() has said "".
extern PluginFunctions cons_tres;

/// Opens select_cons_tres.so from PluginDir. Returns what is in the way, as a sentence; empty: nothing.
std::string load_cons_tres();

/// Takes the cores of running jobs out of cons_tres's books for as long as it lives: what is asked meanwhile is
/// answered as if these jobs had no cores (but all of their memory). Nothing is left changed, whatever happens.
class WithoutCores {
public:
    explicit WithoutCores(const std::vector<job_record_t*>& jobs);
    ~WithoutCores();
    WithoutCores(const WithoutCores&) = delete;
    WithoutCores& operator=(const WithoutCores&) = delete;

private:
    std::vector<job_record_t*> jobs_;
};

}  // namespace drom::slurm
