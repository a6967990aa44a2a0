// SPDX-License-Identifier: GPL-2.0-or-later
// cpuset_cgroup.cpp - writes CPUs into cpusets of v1 and v2.
#include "cpuset_cgroup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "base/error.hpp"
#include "common/small_file.hpp"

namespace drom::slurm {
namespace {

bool is_below_job(const std::string& name, bool v2) {
    return name.starts_with("step_") || name.starts_with("task_") || (v2 && (name == "user" || name == "slurm"));
}

}  // namespace

SlurmLevels slurm_levels(const CpusetLocation& location) {
    const Names& names = location.below;
    const auto job =
        std::find_if(names.begin(), names.end(), [](const auto& name) { return is_numbered(name, "job_"); });
    if (job == names.end()) return {};
    auto first = job;
    if (!location.v2 && first != names.begin() && is_numbered(first[-1], "uid_")) --first;
    if (first != job && first != names.begin() && first[-1].find("slurm") != std::string::npos) --first;
    const auto end =
        std::find_if(job + 1, names.end(), [&](const auto& name) { return !is_below_job(name, location.v2); });
    const auto level = [&](Names::const_iterator name) { return static_cast<std::size_t>(name - names.begin()) + 1; };
    return {level(first), level(end), level(job)};
}

namespace {

std::optional<std::string> kernel_text(const std::string& path) {
    auto text = read_whole(path);
    while (text && !text->empty() && text->back() == '\n') text->pop_back();
    return text;
}

/// Reads a file of CPUs; none where there is no such file. An empty one stands for what is above.
std::optional<CpuSet> read_cpus(const std::string& path) {
    const auto text = kernel_text(path);
    CpuSet set{};
    if (!text || (!text->empty() && parse_cpus(text->c_str(), set).what != nullptr)) return std::nullopt;
    return set;
}

/// Returns 0, or errno.
int write_cpus(const std::string& path, const CpuSet& set) {
    std::string text(std::size_t{5} * kMaxCpus, '\0');
    drom::to_text(set, text.data(), text.size());
    const auto length = static_cast<ssize_t>(std::strlen(text.c_str()));
    const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file < 0) return errno;
    const ssize_t written = write(file, text.data(), static_cast<std::size_t>(length));
    const int failed = written < 0 ? errno : 0;
    close(file);
    return failed == 0 && written != length ? EIO : failed;
}

/// The kernel up to 6.1 gives every thread of a cpuset that changes all of its CPUs, whatever affinity it had: while
/// one of these lives the threads of a cgroup and of those below are known with theirs, and then they have it again.
/// Newer kernels do that for threads that set one.
class KeptAffinity {
public:
    KeptAffinity(const std::string& directory, bool v2) {
        const char* list = v2 ? "/cgroup.threads" : "/tasks";
        std::error_code ended;  // a cgroup may go while we look
        remember(directory + list);
        auto entry = std::filesystem::recursive_directory_iterator(directory, ended);
        for (; !ended && entry != end(entry); entry.increment(ended))
            if (entry->is_directory(ended)) remember(entry->path().string() + list);
    }
    ~KeptAffinity() {
        for (const auto& [tid, mask] : threads_) {
            CpuSet now{};
            if (get_affinity(tid, now) && !(now == mask)) set_affinity(tid, mask);
        }
    }
    KeptAffinity(const KeptAffinity&) = delete;
    KeptAffinity& operator=(const KeptAffinity&) = delete;

private:
    void remember(const std::string& list) {
        std::ifstream file(list);
        CpuSet mask{};
        for (uint32_t tid = 0; file >> tid;)
            if (tid != 0 && get_affinity(tid, mask)) threads_.emplace_back(tid, mask);
    }
    std::vector<std::pair<uint32_t, CpuSet>> threads_;
};

tl::expected<std::optional<CpusetLocation>, std::string> location_of(pid_t task, const std::string& root) {
    const auto cgroup = kernel_text(root + "/proc/" + std::to_string(task) + "/cgroup");
    const auto mounts = kernel_text(root + "/proc/self/mountinfo");
    if (!cgroup || !mounts) return std::nullopt;  // it has ended, or the kernel has no cgroups
    auto found = find_cpuset(*cgroup, *mounts);
    if (!found) return found;
    std::optional<CpusetLocation> location = std::move(found.value());
    if (location) location->top.insert(0, root);
    return location;
}

/// Returns the CPUs that a process at this location may have: v2 without the controller has no file at its own level,
/// but perhaps above.
std::optional<CpuSet> in_effect(const CpusetLocation& location) {
    for (std::size_t level = location.below.size() + 1; level-- > 0;) {
        if (const auto cpus = read_cpus(location.effective_file(level))) return cpus;
        if (const auto cpus = read_cpus(location.cpus_file(level)); cpus && !cpus->none()) return cpus;
    }
    return std::nullopt;
}

std::string made_partition(const CpusetLocation& location, std::size_t level) {
    const auto kind = location.v2 ? kernel_text(location.directory(level) + "/cpuset.cpus.partition") : std::nullopt;
    if (!kind || kind->empty() || kind->starts_with("member")) return {};
    return location.directory(level) + " was made a partition of its own (" + *kind + "); make it a member again";
}

struct Change {
    std::size_t level;
    CpuSet cpus;
};

/// Plans from the top down: v1 wants a cpuset inside the one above. Errors: the end of a sentence.
tl::expected<std::vector<Change>, std::string> plan_of(const CpusetLocation& location, const CpuSet& wanted) {
    const SlurmLevels slurm = slurm_levels(location);
    std::vector<Change> changes;
    for (std::size_t level = 0; level <= location.below.size(); ++level) {
        const auto has = read_cpus(location.cpus_file(level));
        if (!has || has->none() || has->contains(wanted)) continue;
        if (level < std::max<std::size_t>(slurm.first, 1) || level >= slurm.end)
            return tl::unexpected(location.cpus_file(level) + " has CPUs " + CpuText(*has).text +
                                  " only and is not Slurm's; widen it where it was set");
        if (auto partition = made_partition(location, level); !partition.empty()) return tl::unexpected(partition);
        changes.push_back({level, *has | wanted});
    }
    return changes;
}

/// Plans to give the step of this location exactly these CPUs, from the bottom up: v1 wants the cpuset of a task inside
/// that of its step. v2 limits by itself what is below.
std::vector<Change> exact_plan(const CpusetLocation& location, const CpuSet& cpus) {
    const SlurmLevels slurm = slurm_levels(location);
    if (slurm.job == 0) return {};
    const std::size_t end = location.v2 ? std::min(slurm.end, slurm.job + 2) : slurm.end;
    std::vector<Change> changes;
    for (std::size_t level = end; level-- > slurm.job + 1;)
        if (const auto has = read_cpus(location.cpus_file(level)); has && !(*has == cpus))
            changes.push_back({level, cpus});
    return changes;
}

/// Plans to have the levels below the job's, which is Slurm's to write, inside the job's own CPUs. One that has none of
/// these gets all: from the top down at first, because v1 wants a cpuset inside the one above.
std::vector<Change> narrowing_plan(const CpusetLocation& location, const CpuSet& cpus_of_job) {
    const SlurmLevels slurm = slurm_levels(location);
    std::vector<Change> widened, narrowed;
    for (std::size_t level = slurm.job + 1; level < slurm.end; ++level) {
        const auto has = read_cpus(location.cpus_file(level));
        if (!has || cpus_of_job.contains(*has)) continue;
        const bool apart = !has->intersects(cpus_of_job);
        if (apart) widened.push_back({level, *has | cpus_of_job});
        narrowed.push_back({level, apart ? cpus_of_job : *has & cpus_of_job});
    }
    widened.insert(widened.end(), narrowed.rbegin(), narrowed.rend());
    return widened;
}

std::string could_not_write(const std::string& file, int code) {
    const bool rights = code == EACCES || code == EPERM || code == EROFS;
    return "write " + file + ": " + errno_text(code) +
           (rights ? "; slurmd has to run as root and to have the hierarchy mounted for writing" : "");
}

/// Carries the changes out. Returns an empty text, or the end of a sentence.
std::string carry_out(const CpusetLocation& location, const std::vector<Change>& changes) {
    if (changes.empty()) return {};
    const auto highest = std::min_element(changes.begin(), changes.end(),
                                          [](const Change& a, const Change& b) { return a.level < b.level; });
    const KeptAffinity kept(location.directory(highest->level), location.v2);
    for (const Change& change : changes)
        if (const int code = write_cpus(location.cpus_file(change.level), change.cpus); code != 0)
            return could_not_write(location.cpus_file(change.level), code);
    return {};
}

/// Widens the cpuset. Returns an empty text, or the end of a sentence.
std::string widen_at(const CpusetLocation& location, const CpuSet& wanted) {
    const auto had = in_effect(location);
    if (!had || had->contains(wanted)) return {};
    const auto changes = plan_of(location, wanted);
    if (!changes) return changes.error();
    if (std::string trouble = carry_out(location, *changes); !trouble.empty()) return trouble;
    const CpuSet has = in_effect(location).value_or(wanted);
    if (has.contains(wanted)) return {};
    // The limit is above what is seen here, or the CPUs are another partition's, or offline.
    return location.directory(location.below.size()) + " has CPUs " + CpuText(has).text +
           " in effect whatever is asked; look for a limit above it, and for partitions beside it";
}

std::string asked(const char* what, pid_t task, const CpuSet& cpus) {
    return std::string("drom: ") + what + " the cpuset of process " + std::to_string(task) + " to CPUs " +
           CpuText(cpus).text + ": ";
}

}  // namespace

CpuSet cpus_inside(pid_t task, const std::string& root) {
    const auto found = location_of(task, root);
    const std::optional<CpusetLocation> location = found ? found.value() : std::nullopt;
    const CpuSet everything = CpuSet::range(0, kMaxCpus);
    return location ? in_effect(*location).value_or(everything) : everything;
}

std::string widen_cpuset(pid_t task, const CpuSet& cpus, const std::string& root) {
    const auto found = location_of(task, root);
    if (!found) return asked("widen", task, cpus) + found.error();
    const std::optional<CpusetLocation>& location = found.value();
    const std::string trouble = location ? widen_at(*location, cpus) : std::string();
    return trouble.empty() ? trouble : asked("widen", task, cpus) + trouble;
}

std::string set_cpuset_of_step(pid_t process, const CpuSet& cpus, const std::string& root) {
    const auto found = location_of(process, root);
    const std::optional<CpusetLocation> location = found ? found.value() : std::nullopt;
    if (!location || cpus.none()) return {};
    if (exact_plan(*location, cpus).empty()) return {};
    std::string trouble = widen_at(*location, cpus);
    if (trouble.empty()) trouble = carry_out(*location, exact_plan(*location, cpus));
    return trouble.empty() ? trouble : asked("set", process, cpus) + trouble;
}

std::string narrow_cpuset(pid_t task, const CpuSet& cpus_of_job, const std::string& root) {
    const auto found = location_of(task, root);
    const std::optional<CpusetLocation> location = found ? found.value() : std::nullopt;
    if (!location || location->v2) return {};
    const std::vector<Change> changes = narrowing_plan(*location, cpus_of_job);
    const std::string trouble = carry_out(*location, changes);
    return trouble.empty() ? trouble : asked("narrow", task, cpus_of_job) + trouble;
}

std::string fit_cpuset(pid_t task, CpuSet& mask, bool has_them, const std::string& root) {
    CpuSet now{};
    if (get_affinity(static_cast<uint32_t>(task), now) && now.contains(mask)) return {};
    const CpuSet inside = cpus_inside(task, root) & mask;
    std::string trouble = widen_cpuset(task, mask, root);
    if (trouble.empty()) {
        if (has_them && !(inside == mask))
            confine(static_cast<uint32_t>(task), {inside, inside}, mask, deadline_in_ms(100));
        return trouble;
    }
    // Where none of its CPUs are inside, or that is not known, the kernel answers when the task is moved.
    if (inside.none() || inside == mask) return trouble;
    mask = inside;
    return trouble + "; it keeps CPUs " + CpuText(inside).text;
}

}  // namespace drom::slurm
