// SPDX-License-Identifier: GPL-2.0-or-later
// state_file.cpp - the state as text, and back.
#include "state_file.hpp"

#include <cstring>

#include "base/number_text.hpp"

namespace drom::slurm {
namespace {

constexpr std::string_view kTitle = "drom node agent 1";

std::string cpus_text(const CpuSet& set) {
    if (set.none()) return "-";
    std::string text(size_t{5} * kMaxCpus, '\0');
    drom::to_text(set, text.data(), text.size());
    text.resize(std::strlen(text.c_str()));
    return text;
}

void put_task(std::string& out, const TaskState& task) {
    out += "task";
    for (const uint64_t number :
         {uint64_t{task.step.job}, uint64_t{task.step.step}, uint64_t{task.identity.pid}, task.identity.start,
          task.identity.pidns, uint64_t{task.user}, uint64_t{task.min_cpus}, uint64_t{task.max_cpus},
          uint64_t{task.malleable}, static_cast<uint64_t>(task.parked)})
        out += ' ' + std::to_string(number);
    out += ' ' + cpus_text(task.mask) + ' ' + cpus_text(task.home) + ' ' + cpus_text(task.whole) + '\n';
}

/// The words of a line, one after the other. A word that is missing or no number makes it bad.
class Words {
public:
    explicit Words(std::string_view line) : rest_(line) {}

    std::string_view next() {
        const std::string_view word = rest_.substr(0, rest_.find(' '));
        rest_.remove_prefix(std::min(rest_.size(), word.size() + 1));
        bad_ = bad_ || word.empty();
        return word;
    }
    template <class Number>
    void number(Number& into) {
        bad_ = !is_number(next(), into) || bad_;
    }
    void cpus(CpuSet& into) {
        const std::string word(next());
        into = CpuSet::empty();
        if (word != "-") bad_ = bad_ || parse_cpus(word.c_str(), into).what != nullptr;
    }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] bool good() const { return !bad_ && at_end(); }

private:
    std::string_view rest_;
    bool bad_ = false;
};

bool read_task(std::string_view line, TaskState& task) {
    Words words(line);
    uint32_t malleable = 0;
    uint32_t parked = 0;
    if (words.next() != "task") return false;
    words.number(task.step.job);
    words.number(task.step.step);
    words.number(task.identity.pid);
    words.number(task.identity.start);
    words.number(task.identity.pidns);
    words.number(task.user);
    words.number(task.min_cpus);
    words.number(task.max_cpus);
    words.number(malleable);
    words.number(parked);
    words.cpus(task.mask);
    words.cpus(task.home);
    if (!words.at_end()) words.cpus(task.whole);  // an older plugin wrote none
    task.malleable = malleable == 1;
    task.parked = static_cast<Parked>(parked);
    return words.good() && malleable <= 1 && parked <= static_cast<uint32_t>(Parked::kNoRoom) && task.identity.pid != 0;
}

std::string_view next_line(std::string_view& rest) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    return line;
}

std::string last_line(const AgentState& state) {
    return (state.applied ? "applied " : "planned ") + std::to_string(state.tasks.size());
}

}  // namespace

std::string StepName::text() const {
    const std::string number = std::to_string(job) + '.';
    switch (step) {
        case kBatchStep: return number + "batch";
        case kInteractiveStep: return number + "interactive";
        case kExternStep: return number + "extern";
        default: return number + std::to_string(step);
    }
}

bool StepName::is_script() const { return step == kBatchStep || step == kInteractiveStep; }

bool StepName::is_extern() const { return step == kExternStep; }

bool StepName::is_open() const { return is_extern() || step == kInteractiveStep; }

bool StepName::lends_to(const StepName& other) const {
    if (job != other.job || other.is_extern()) return false;
    return is_extern() || (is_script() && !other.is_script());
}

std::string to_text(const AgentState& state) {
    std::string out = std::string(kTitle) + '\n';
    for (const TaskState& task : state.tasks) put_task(out, task);
    return out + last_line(state) + '\n';
}

tl::expected<AgentState, std::string> read_state(std::string_view text) {
    if (next_line(text) != kTitle) return tl::unexpected("line 1 is not '" + std::string(kTitle) + "'");
    AgentState state;
    std::string_view line = next_line(text);
    for (; line.starts_with("task "); line = next_line(text)) {
        if (!read_task(line, state.tasks.emplace_back()))
            return tl::unexpected("line " + std::to_string(state.tasks.size() + 1) + " is no task");
    }
    state.applied = line.starts_with("applied");
    if (line != last_line(state)) return tl::unexpected(std::string("its last line is missing or wrong"));
    return state;
}

}  // namespace drom::slurm
