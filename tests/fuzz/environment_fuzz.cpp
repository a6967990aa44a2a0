// SPDX-License-Identifier: BSD-3-Clause
// environment_fuzz.cpp - any values of DROM_*, DLB_ARGS and the variables of MPI launchers: this process becomes a
// client, or says why not. The names that it writes into the table are terminated, and its limits are in order.
//
// A line of the input sets one variable: its first byte chooses the name, the rest is the value.
#include <unistd.h>

#include <iterator>
#include <vector>

#include "admin/carry_out.hpp"
#include "admin/description.hpp"
#include "base/env.hpp"
#include "base/error.hpp"
#include "client/client.hpp"
#include "client/rank.hpp"
#include "client/unmodified.hpp"
#include "common/malleable_range.hpp"
#include "dlb/options.hpp"
#include "fuzz.hpp"
#include "temp_dir.hpp"

namespace {

using drom::fuzz::must;

constexpr const char* kLaunchers[] = {"OMPI_COMM_WORLD_RANK",
                                      "OMPI_COMM_WORLD_SIZE",
                                      "OMPI_COMM_WORLD_LOCAL_RANK",
                                      "OMPI_COMM_WORLD_LOCAL_SIZE",
                                      "PMIX_NAMESPACE",
                                      "PMI_RANK",
                                      "PMI_SIZE",
                                      "MPI_LOCALRANKID",
                                      "MPI_LOCALNRANKS",
                                      "SLURM_PROCID",
                                      "SLURM_STEP_NUM_TASKS",
                                      "SLURM_LOCALID",
                                      "SLURM_STEP_TASKS_PER_NODE",
                                      "SLURM_JOB_ID",
                                      "SLURM_STEP_ID",
                                      "PBS_JOBID",
                                      "DLB_ARGS"};

/// Removes the variables that were set when this process started.
void forget_own_environment() {
    std::vector<std::string> own;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (std::strncmp(*entry, "DROM_", 5) == 0) own.emplace_back(*entry, std::strcspn(*entry, "="));
    for (const std::string& name : own) unsetenv(name.c_str());
}

std::vector<std::string> names() {
    forget_own_environment();
    std::vector<std::string> all(std::begin(kLaunchers), std::end(kLaunchers));
    std::size_t count = 0;
    const drom::env::Variable* table = drom::env::table(count);
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(table[i].name);
    return all;
}

void set_environment(const std::vector<std::string>& all, drom::fuzz::Input& input) {
    for (const std::string& name : all) unsetenv(name.c_str());
    while (!input.empty()) {
        const std::string& name = all[input.byte() % all.size()];
        setenv(name.c_str(), input.text_until('\n').c_str(), 1);
    }
}

void check_values(const std::vector<std::string>& all) {
    for (const std::string& name : all) {
        const char* text = drom::env::text(name.c_str());
        must(text == nullptr || *text != '\0', "an empty variable is as good as none");
        must(drom::env::number(name.c_str(), 7) >= 0, "a number is not negative");
        must(drom::env::milliseconds(name.c_str(), 7) < UINT32_MAX, "a time is not the sign for never");
        char wrong[256];
        must(!drom::env::wrong_value(name.c_str(), wrong, sizeof wrong) || text != nullptr,
             "what is not set is not wrong");
        must(text != nullptr || (drom::env::flag(name.c_str(), true) && !drom::env::flag(name.c_str(), false)),
             "what is not set says nothing");
    }
    drom::env::grace_ms();
    for (const char* name : {"DROM_MALLEABLE", "DROM_MIN_PER_RANK"})
        if (const char* text = drom::env::text(name))
            drom::slurm::parse_malleable(text), drom::slurm::parse_min_per_rank(text);
}

void check_rank(std::uint32_t cpus) {
    drom::Rank rank{};
    drom::rank_of([](const char* name) -> const char* { return getenv(name); }, rank);
    must(strnlen(rank.job, sizeof rank.job) < sizeof rank.job, "the job's name is terminated");
    const drom::Part part = drom::part_of(rank, cpus);
    must(part.first <= part.end && part.end <= cpus, "a rank's part is one of the CPUs");
}

void check_dlb() {
    const drom::dlb::Options options = drom::dlb::read_options(nullptr, false);
    must(strnlen(options.key, sizeof options.key) < sizeof options.key, "the key is terminated");
    must(std::strchr(options.key, '/') == nullptr, "a key is one name of a file", options.key);
    char room[256];
    const char* where = nullptr;
    if (drom::dlb::table_of(options, room, sizeof room, where) && where != nullptr)
        must(std::strlen(where) < sizeof room, "a table's path fits");
    std::string words = getenv("DLB_ARGS") != nullptr ? getenv("DLB_ARGS") : "";
    drom::dlb::remove_words(words.data(), "--preinit-pid");
    must((" " + std::string(words.c_str())).find(" --preinit-pid") == std::string::npos, "removed words are gone");
}

/// Checks the path that the text makes. No table is opened there, because it may be any folder of this machine.
void check_path() {
    char path[256];
    drom_error error{};
    const int status = drom::table_path(nullptr, path, sizeof path, &error);
    must(status == DROM_OK ? path[0] != '\0' : status == DROM_E_INVAL && error.text[0] != '\0', "a path or a sentence");
}

void check_listed(drom::Table& table, const drom::unmodified::Found& found) {
    drom_client_info list[2]{};
    list[0].size = sizeof list[0];
    std::size_t count = 2;
    drom_error error{};
    must(list_clients(table, list, &count, &error) == DROM_OK && count == 1, "a client is listed once", error.text);
    const drom_client_info& me = list[0];
    must(me.pid == getpid(), "it is this process");
    must((me.entry_points & ~DROM_ENTRY_ASYNC) == found.entry_point, "its entry points are those that it has");
    must(me.min_cpus >= 1, "a client keeps at least a CPU");
    must(strnlen(me.name, sizeof me.name) < sizeof me.name && strnlen(me.job, sizeof me.job) < sizeof me.job,
         "its names are terminated");
    for (const char c : std::string(me.name) + me.job)
        must(static_cast<unsigned char>(c) >= ' ', "a terminal can show its names");
}

struct OwnTable {
    OwnTable() {
        drom::Options create;
        create.flags = DROM_CREATE;
        create.clients = 3;
        drom_error error{};
        must(table.open(directory.table().c_str(), create, &error) == DROM_OK, "a table is made", error.text);
    }
    drom::test::TempDir directory;
    drom::Table table;
};

void check_joining(OwnTable& own) {
    setenv("DROM_TABLE", own.directory.table().c_str(), 1);
    unsetenv("DROM_VERBOSE");  // has been read as a number, and would fill the log
    const bool follows = drom::env::flag("DROM_FOLLOW", false) && drom::env::text("DROM_SLOT") == nullptr;
    const bool disabled = drom::env::flag("DROM_DISABLE", false) || follows;  // it follows its container, in no table
    const drom::unmodified::Found found{DROM_ENTRY_EXPLICIT, {}, false};
    const bool joined = drom::unmodified::join(found);
    must(joined == !disabled, "this process becomes a client unless that is forbidden");
    if (!joined) return;
    check_listed(own.table, found);
    must(drom::client::leave(nullptr) == DROM_OK, "it leaves");
    drom_error error{};
    drom::Options plain;
    plain.timeout_ms = 1000;
    must(check_table(own.table, plain, &error) == DROM_UNCHANGED, "nothing is left to do", error.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<std::string> all = names();
    static OwnTable own;
    drom::fuzz::Input input(data, size);
    const std::uint32_t cpus = input.number<std::uint16_t>();
    set_environment(all, input);
    check_values(all);
    check_rank(cpus);
    check_dlb();
    check_path();
    check_joining(own);
    return 0;
}
