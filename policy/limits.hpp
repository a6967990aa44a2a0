// SPDX-License-Identifier: BSD-3-Clause
// limits.hpp - limits of slowdowns that differ per partition and QOS, and which QOS takes cores from which (thesis
// 5.4.1: "different queues with different QoS policies using different MAXSD configurations").
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "policy/job.hpp"

namespace drom::policy {

/// Numbers of partitions, or of QOS, by their names.
using Numbers = std::map<std::string, int, std::less<>>;

/// Numbers the partitions, or the QOS, from 0 in the order in which they appear. A name has no blank and no comma.
class Names {
public:
    /// Returns the number of a name, which is new or not.
    int number(std::string_view name);
    /// Returns the name of a number; the number itself where it has none.
    std::string name(int number) const;
    const Numbers& numbers() const noexcept { return numbers_; }

private:
    Numbers numbers_;
    std::vector<std::string> names_;
};

/// Names of the partitions and QOS of jobs.
struct JobNames {
    Names partitions, qos;
};

/// A partition or QOS, and the predicted slowdown that no mate of it reaches; infinity: no limit.
struct NamedLimit {
    std::string name;
    double max_slowdown = 1;
    friend bool operator==(const NamedLimit&, const NamedLimit&) = default;
};

/// Which mates have a limit of their own, and which guests a mate of some QOS has.
class MateLimits {
public:
    std::vector<NamedLimit> partitions, qos;
    std::vector<std::string> qos_order;  ///< from the lowest to the highest
    bool strict = false;                 ///< no guest takes cores from a mate of a higher QOS
    std::vector<std::string> urgent;     ///< QOS of jobs that come first, where a policy knows such jobs

    /// Tells the numbers that jobs have. Until then no job has a limit of its own, and every QOS is below all. Names
    /// without a number are those of no job.
    void set_numbers(const Numbers& partition_numbers, const Numbers& qos_numbers);
    /// Gives a number to each name that has none, and tells all as above.
    void set_numbers(JobNames& names);
    /// Returns those of the numbers told that the limits and the order name. They decide as all of them do.
    const Numbers& partition_numbers() const noexcept { return partition_numbers_; }
    const Numbers& qos_numbers() const noexcept { return qos_numbers_; }

    /// Returns the limit of a mate: the smallest of those of its partition and its QOS, or `general` where neither has
    /// one; and no more than its user's own.
    double of(const Job& mate, double general) const {
        // Searches ask this for millions of jobs, most of them without such limits.
        const bool any = !of_partition_.empty() || !of_qos_.empty();
        return std::min(any ? of_class(mate, general) : general, mate.max_slowdown);
    }
    /// Returns whether the QOS of both let the guest take cores from the mate. A QOS that is not in the order, or none,
    /// is below all.
    bool may_take(const Job& guest, const Job& mate) const { return !strict || place(mate.qos) <= place(guest.qos); }
    /// Returns whether the QOS is one of urgent jobs.
    bool is_urgent(int qos_number) const { return urgent_.contains(qos_number); }
    /// Returns the place of a QOS in the order, from 0; -1: it has none.
    int place(int qos_number) const;

private:
    double of_class(const Job& mate, double general) const;

    Numbers partition_numbers_, qos_numbers_;
    std::map<int, double> of_partition_, of_qos_;
    std::map<int, int> places_;
    std::set<int> urgent_;
};

/// Prints limits as an option takes them: "debug:2/long:inf"; "none".
std::string text_of(const std::vector<NamedLimit>& limits);
/// Prints names as an option takes them: "low/normal/high"; "none".
std::string text_of(const std::vector<std::string>& names);

/// Reads what text_of() prints. Errors: the rest of a sentence; then `into` keeps its value.
tl::expected<void, std::string> read_limits(std::vector<NamedLimit>& into, std::string_view text);
tl::expected<void, std::string> read_names(std::vector<std::string>& into, std::string_view text);

}  // namespace drom::policy
