// SPDX-License-Identifier: BSD-3-Clause
// preloaded.cpp - an unmodified program with the agent in it, of which the 1st, 2nd, 3rd ... call of each function
// fails. The program computes the right results, prints nothing else, and leaves nothing in the table.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "child.hpp"
#include "drom/drom.h"
#include "options.hpp"
#include "shim.hpp"
#include "temp_dir.hpp"
#include "watchdog.hpp"

namespace {

using namespace drom::faults;
namespace test = drom::test;

struct Run {
    int status;         ///< the program's exit status, or 128 + signal
    unsigned injected;  ///< the number of failures
    std::string said;
};

std::string contents(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

Run run_guest(const std::string& directory, const Failure& failure) {
    const std::string log = directory + "/log";
    const std::string output = directory + "/output";
    std::remove(log.c_str());
    test::Child guest = test::Child::run([&] {
        const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        close(out);
        char fault[64];
        std::snprintf(fault, sizeof fault, "%u:%d:%u:%d", failure.call, failure.code, failure.nth,
                      failure.lasting ? 1 : 0);
        setenv("FAULTS", fault, 1);
        setenv("FAULTS_LOG", log.c_str(), 1);
        setenv("DROM_TABLE", (directory + "/table").c_str(), 1);
        setenv("OMP_NUM_THREADS", "2", 1);
        setenv("OMP_WAIT_POLICY", "passive", 1);
        setenv("LD_PRELOAD", FAULTS_LIBDROM " " FAULTS_PRELOAD, 1);
        alarm(200);
        execl(FAULTS_GUEST, FAULTS_GUEST, static_cast<char*>(nullptr));
        return 126;
    });
    const int status = guest.wait();
    return {status, static_cast<unsigned>(std::atoi(contents(log).c_str())), contents(output)};
}

/// Checks that no client is in the table after the program, and that drom_check() finds nothing to do.
std::string what_is_left(const std::string& directory) {
    drom_table* table = nullptr;
    const drom_options options = test::options_with(0);
    drom_error error{};
    int status = drom_open(&table, (directory + "/table").c_str(), &options, &error);
    if (status == DROM_E_NOTABLE) return "";
    for (int i = 0; i < 2 && status >= 0; ++i) status = drom_check(table, &options, &error);
    size_t clients = 0;
    if (status >= 0) drom_clients(table, nullptr, &clients, nullptr);
    drom_close(table);
    if (status < 0) return error.text;
    return clients == 0 ? "" : "a client is left";
}

struct Count {
    unsigned runs = 0, injected = 0, functions = 0, wrong = 0;

    /// Runs the program once. False when no call failed.
    bool one(const Failure& failure) {
        test::Watchdog::next_step();
        const test::TempDir directory;
        const Run run = run_guest(directory.path(), failure);
        ++runs;
        injected += run.injected;
        std::string wrong_is =
            run.status != 0 ? "it ends with " + std::to_string(run.status) : what_is_left(directory.path());
        if (wrong_is.empty() && !run.said.empty()) wrong_is = "it says " + run.said;
        if (!wrong_is.empty()) {
            ++wrong;
            std::printf("faults: WRONG: preloaded: %s number %u%s: %s: %s\n", calls()[failure.call].name, failure.nth,
                        failure.lasting ? " and all later ones" : "",
                        failure.code == kShort ? "is short" : strerrorname_np(failure.code), wrong_is.c_str());
        }
        return run.injected > 0;
    }

    void all_of(unsigned call) {
        bool reached = false;
        for (const int code : calls()[call].codes) {
            constexpr unsigned kMax = 200;
            if (!one({call, code, 1, true})) break;
            reached = true;
            for (unsigned nth = 1; nth < kMax && one({call, code, nth, false}); ++nth) {}
        }
        functions += reached ? 1U : 0U;
    }
};

}  // namespace

int main(int argc, char** argv) {
    const test::Watchdog watchdog(300);
    setvbuf(stdout, nullptr, _IOLBF, 0);
    Count count;
    for (unsigned call = 0; call < calls().size(); ++call)
        if (argc < 2 || std::strcmp(argv[1], calls()[call].name) == 0) count.all_of(call);
    std::printf("faults: preloaded: %u functions: %u failures in %u runs, %u wrong\n", count.functions, count.injected,
                count.runs, count.wrong);
    return count.wrong == 0 && count.injected > 0 ? 0 : 1;
}
