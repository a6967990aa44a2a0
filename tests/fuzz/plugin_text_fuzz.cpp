// SPDX-License-Identifier: BSD-3-Clause
// plugin_text_fuzz.cpp - the bytes that Slurm's plugins read back: their records, lists of loans, journals, comments
// and settings. Accepted bytes are written again and read as the same; others are refused in words.
//
// The first byte chooses the kind of the others.
#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "common/admin_comment.hpp"
#include "common/settings.hpp"
#include "fuzz.hpp"
#include "node_agent/state_file.hpp"
#include "node_agent/topology_cache.hpp"
#include "policy/sharing/coscheduler.hpp"
#include "select_malleable/state/loans_file.hpp"
#include "select_malleable/state/select_options.hpp"
#include "select_malleable/state/shared_jobs.hpp"
#include "spank/preload.hpp"
#include "temp_dir.hpp"

namespace {

using drom::fuzz::must;
using namespace drom::slurm;
namespace policy = drom::policy;

void check_record(const std::string& text) {
    const auto state = read_state(text);
    if (!state) return must(!state.error().empty(), "what is wrong with a state is said");
    for (const TaskState& task : state->tasks) {
        must(task.identity.pid != 0, "a task is a process");
        must(!task.step.text().empty(), "a step has a name");
    }
    const auto again = read_state(to_text(*state));
    must(again.has_value() && *again == *state, "a state reads back");
}

void check_topology(const std::string& text) {
    const std::string of = text.substr(0, text.find('\n')).substr(0, 40);
    drom::Topology node;
    if (!read_topology("drom topology 1 of " + text, of, node)) return;
    must(node.order.size() == node.cpus.count(), "each CPU is once in the order");
    drom::Topology again;
    must(read_topology(to_text(node, of), of, again), "a topology reads back");
    must(again.cpus == node.cpus && again.order == node.order, "as it was");
}

policy::Line must_parse(const std::string& text, policy::JobNames& names) {
    auto line = policy::parse_line(text, names);
    must(line.has_value(), "a journal's line reads back", text);
    return *std::move(line);
}

std::string line_text(const policy::Line& line, const policy::JobNames& names) {
    if (const auto* rules = std::get_if<policy::RulesLine>(&line)) return text_of(rules->rules);
    if (const auto* pool = std::get_if<policy::Pool>(&line)) return text_of(*pool);
    return text_of(std::get<policy::Event>(line), names);
}

void check_journal_line(const std::string& text) {
    policy::JobNames names, again;
    const auto line = policy::parse_line(text, names);
    if (!line) return must(!line.error().empty(), "what is wrong with a line is said");
    const std::string written = line_text(*line, names);
    must(line_text(must_parse(written, again), again) == written, "a journal's line is written the same again",
         written);
}

/// Returns jobs 1 to 3, which run; the list of loans says how they came to share.
std::vector<policy::Placed> running_jobs() {
    std::vector<policy::Placed> running;
    for (int i = 1; i <= 3; ++i) {
        policy::Placed placed;
        placed.job.id = i;
        placed.job.request = 3600;
        placed.job.nodes = 4;
        placed.nodes = policy::NodeSet(i == 3 ? 4 : 0, 4);
        placed.start = 100 * i;
        placed.cores = i == 3 ? 16 : 8;
        running.push_back(placed);
    }
    return running;
}

policy::Coscheduler restored_from(const std::string& loans, bool& used) {
    policy::Coscheduler known({{16, policy::NodeSet(0, 16)}}, {});
    const auto restored = known.restore(loans, running_jobs(), 1000);
    must(restored || !restored.error().empty(), "why a list of loans is not used is said");
    used = restored.has_value();
    for (policy::JobId id = 1; id <= 3; ++id)
        for (const policy::Held& held : known.cores_of(id))
            must(held.cores >= 0 && held.cores <= 16, "no job holds more cores than a node has");
    return known;
}

/// Checks what is written from a list of loans. The list may hold facts that no job shows. Then the second list that is
/// written may differ from the first; the third must be equal to the second.
void check_restored(const std::string& loans) {
    bool used = false;
    const std::string first = restored_from(loans, used).loans();
    const std::string second = restored_from(first, used).loans();
    must(used, "a list of loans that was written is used", first);
    policy::Coscheduler third = restored_from(second, used);
    must(used && third.loans() == second, "and makes the same", second + "----\n" + third.loans());
    for (policy::JobId id = 1; id <= 3; ++id) third.finish(id, 2000);
}

/// Reads what is remembered of jobs from lines behind the list of loans.
void check_shared_jobs(const std::string& text) {
    SharedJobs first, second;
    if (!first.read(text)) return;
    must(second.read(first.text()).has_value(), "what is remembered of jobs reads back", first.text());
    must(second.text() == first.text(), "and is the same", second.text());
}

void write_file(const std::string& path, const std::string& bytes) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a file is written");
    close(fd);
}

/// Reads the bytes of the list of loans as slurmctld finds them, then with a digest that fits.
void check_loans_file(const std::string& bytes) {
    static const drom::test::TempDir directory;
    const std::string path = directory.path() + "/malleable.loans";
    write_file(path, bytes);
    const auto found = read_loans(path);
    if (!found) must(found.error().ends_with("is damaged"), "a damaged list of loans is called so", found.error());
    if (found) check_restored(*found);
    must(write_loans(path, bytes).empty(), "a list of loans is written");
    const auto again = read_loans(path);
    must(again.has_value() && *again == bytes, "a list of loans reads back");
    check_restored(bytes);
    check_shared_jobs(bytes);
}

void check_comment(const std::string& text) {
    const std::string comment = text.substr(0, text.find('\n'));
    const std::string value = text.substr(std::min(text.size(), comment.size() + 1));
    for (const char* key : {"malleable", "since"}) {
        const auto before = value_of(comment, key);
        must(!before || before->find(' ') == std::string_view::npos, "a value is one word");
        const std::string with = with_value(comment, key, value);
        if (!value.empty() && value.find(' ') == std::string::npos)
            must(value_of(with, key) == value, "what was put there is found", with);
        must(!value_of(with_value(with, key, ""), key) || value.find(' ') != std::string::npos,
             "what was taken away is gone");
    }
}

void check_settings(const std::string& text) {
    const Settings settings = read_file(text);
    must(settings.sharing_factor > 0 && settings.sharing_factor < 1, "a factor is between 0 and 1");
    for (const std::string& wrong : settings.wrong)
        must(wrong.starts_with("drom.conf:"), "a sentence says where", wrong);
    const AgentSettings agent = agent_settings(settings, "node%n7");
    must(settings.table.find("%n") != std::string::npos || agent.table == settings.table, "a table's name is kept");
    const auto options = read_scheduler_parameters(text);
    must(options || options.error().starts_with("SchedulerParameters: sd_"), "a sentence names the option");
    if (options)
        must(options->rules.sharing.max_mates >= 1 && options->rules.sharing.jobs_per_node >= 2,
             "rules by which a job can share");
}

void check_preload(const std::string& text) {
    const std::vector<std::string> ours{"/opt/drom/lib/libdrom-agent.so", "/opt/drom/lib/libdrom-mpi.so"};
    const std::string with = with_libraries(text, ours);
    must(with_libraries(with, ours) == with, "a library is preloaded once", with);
    const std::string without = without_libraries(with, "/opt/drom/lib");
    must((":" + without + ":").find(":/opt/drom/lib/libdrom-agent.so:") == std::string::npos,
         "what was added is taken away", without);
}

using Check = void (*)(const std::string&);
constexpr std::array<Check, 7> kChecks{check_record,  check_topology, check_journal_line, check_loans_file,
                                       check_comment, check_settings, check_preload};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    drom::fuzz::Input input(data, size);
    const Check check = kChecks[input.byte() % kChecks.size()];
    check(input.rest());
    return 0;
}
