// SPDX-License-Identifier: GPL-2.0-or-later
// spank_drom.cpp - the plugin that every command and every step of Slurm loads: hands Slurm's calls to the other files.
//
// It never makes a job fail: only an option's value, at submission, is refused (options.cpp). Nothing is thrown into
// Slurm, which is C.
#include "common/guarded.hpp"
#include "common/plugin_identity.hpp"
#include "common/settings.hpp"
#include "node_hooks.hpp"
#include "options.hpp"
#include "slurm_spank.hpp"
#include "step.hpp"
#include "submission.hpp"

extern "C" {
extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(spank_drom, 1)
}

namespace {

using namespace drom::slurm;

/// Runs the body, and never makes a job fail.
template <class Body>
int always_succeeds(const Body& body) noexcept {
    guarded(body, [](const char* error) { slurm_info("spank_drom: %s; the job runs without drom", error); });
    return ESPANK_SUCCESS;
}

}  // namespace

extern "C" {

int slurm_spank_init(spank_t spank, int, char**) {
    return always_succeeds([&] {
        const spank_context_t context = spank_context();
        if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR || context == S_CTX_REMOTE) register_options(spank);
    });
}

int slurm_spank_init_post_opt(spank_t spank, int argc, char* argv[]) {
    return always_succeeds([&] {
        if (spank_remote(spank) == 0) announce(spank);
        if (spank_context() == S_CTX_REMOTE) step_is_about_to_start(spank, read_arguments(argc, argv));
    });
}

int slurm_spank_user_init(spank_t, int argc, char* argv[]) {
    return always_succeeds([&] {
        const Settings settings = read_arguments(argc, argv);
        for (const std::string& sentence : settings.wrong) slurm_info("spank_drom: %s", sentence.c_str());
        look_for_libraries(library_directory(settings));
    });
}

int slurm_spank_task_post_fork(spank_t spank, int argc, char* argv[]) {
    return always_succeeds([&] { task_was_forked(spank, read_arguments(argc, argv)); });
}

int slurm_spank_task_init(spank_t spank, int argc, char* argv[]) {
    return always_succeeds([&] {
        const Settings settings = read_arguments(argc, argv);
        enter_task(spank, library_directory(settings));
        if (!name_reservation(spank, settings)) leave_alone(spank, library_directory(settings));
    });
}

int slurm_spank_task_exit(spank_t spank, int, char**) {
    return always_succeeds([&] { task_has_ended(spank); });
}

int slurm_spank_job_epilog(spank_t spank, int argc, char* argv[]) {
    return always_succeeds([&] { job_has_ended(spank, read_arguments(argc, argv)); });
}

int slurm_spank_exit(spank_t spank, int, char**) {
    return always_succeeds([&] {
        if (spank_context() == S_CTX_REMOTE) step_has_ended(spank);
    });
}

}  // extern "C"
