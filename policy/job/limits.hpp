// SPDX-License-Identifier: BSD-3-Clause
// limits.hpp - limits of slowdowns that differ per partition and QOS, and which jobs take cores from which (thesis
// 5.4.1: "different queues with different QoS policies using different MAXSD configurations").
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "policy/job/job.hpp"
#include "policy/job/range.hpp"

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

/// Names of the partitions, QOS, users and accounts of jobs.
struct JobNames {
    Names partitions, qos, users, accounts;
};

/// Which partitions, QOS or accounts share nodes.
struct Admission {
    std::vector<std::string> only;  ///< no others; empty: all
    std::vector<std::string> no;    ///< and of these, none of them
    bool empty() const noexcept { return only.empty() && no.empty(); }
};

/// Which jobs share with one another.
enum class Same : std::uint8_t { kAny, kUser, kAccount };

/// A partition or QOS, and the predicted slowdown that no mate of it reaches; infinity: no limit.
struct NamedLimit {
    static constexpr Range<double> kSlowdowns{1, 1e12};

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
    Admission share_partitions, share_qos, share_accounts;  ///< of jobs that lend or borrow cores
    Same same = Same::kAny;                                 ///< what guest and mate have in common

    /// Tells the numbers that jobs have. Until then no job has a limit of its own, every QOS is below all, and all jobs
    /// are admitted. Names without a number are those of no job.
    void set_numbers(const Numbers& partition_numbers, const Numbers& qos_numbers, const Numbers& account_numbers = {});
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
    /// Returns whether the guest may take cores from the mate. The QOS of both, the admission of the mate, and their
    /// users or accounts have a say. A QOS that is not in the order, or none, is below all.
    bool may_take(const Job& guest, const Job& mate) const {
        return (!strict || place(mate.qos) <= place(guest.qos)) && admits(mate) && owner(guest) == owner(mate);
    }
    /// Returns whether jobs of its partition, QOS and account share nodes.
    bool admits(const Job& job) const { return !selects_ || admits_by_numbers(job); }
    /// Returns what a guest and its mates have in common: the number of a user or an account; -1: nothing.
    int owner(const Job& job) const noexcept {
        return same == Same::kAny ? -1 : same == Same::kUser ? job.user : job.account;
    }
    /// Returns whether the QOS is one of urgent jobs.
    bool is_urgent(int qos_number) const { return urgent_.contains(qos_number); }
    /// Returns the place of a QOS in the order, from 0; -1: it has none.
    int place(int qos_number) const;

private:
    /// An admission by number.
    struct Admitted {
        std::set<int> only, no;
        bool all = true;  ///< of those that `no` does not name
        bool has(int number) const { return (all || only.contains(number)) && !no.contains(number); }
    };
    static Admitted numbered(const Admission& admission, const Numbers& numbers);
    bool admits_by_numbers(const Job& job) const;
    double of_class(const Job& mate, double general) const;

    Numbers partition_numbers_, qos_numbers_;
    std::map<int, double> of_partition_, of_qos_;
    std::map<int, int> places_;
    std::set<int> urgent_;
    Admitted partitions_admitted_, qos_admitted_, accounts_admitted_;
    bool selects_ = false;
};

/// Prints limits as an option takes them: "debug:2/long:inf"; "none".
std::string text_of(const std::vector<NamedLimit>& limits);
/// Prints names as an option takes them: "low/normal/high"; "none".
std::string text_of(const std::vector<std::string>& names);

/// Prints any, user or account.
std::string_view text_of(Same same);

/// Reads what text_of() prints. Errors: the rest of a sentence; then `into` keeps its value.
tl::expected<void, std::string> read_same(Same& into, std::string_view text);
tl::expected<void, std::string> read_limits(std::vector<NamedLimit>& into, std::string_view text);
tl::expected<void, std::string> read_names(std::vector<std::string>& into, std::string_view text);

}  // namespace drom::policy
