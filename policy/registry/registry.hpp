// SPDX-License-Identifier: BSD-3-Clause
// registry.hpp - every scheduling policy by its name, with its options: for command lines, help, reports and sweeps.
//
// A policy is a row: its name, what it does in one sentence, its source, the options of its own struct of rules, and
// the function that makes its Scheduler. docs/developer/own-policy.md adds one.
#pragma once

#include <any>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/backfill/scheduler.hpp"
#include "policy/job/option_values.hpp"

namespace drom::policy {

/// One option of the policies whose rules are a `Rules`.
template <class Rules>
struct Option {
    const char* name;   ///< words with _ between them
    const char* label;  ///< what its value is: a unit, a letter, the words that it can be
    const char* text;   ///< what it does, without its default
    /// Errors: what is wrong with the value.
    Read (*set)(Rules&, std::string_view value);
    std::string (*get)(const Rules&);
};

/// The same for any rules.
struct OptionRow {
    const char* name;
    const char* label;
    const char* text;
    std::function<Read(std::any& rules, std::string_view value)> set;
    std::function<std::string(const std::any& rules)> get;
};

/// Describes a policy, without its options.
struct PolicyText {
    const char* name;
    const char* text;                 ///< what it does, as one sentence without its full stop
    const char* source;               ///< where it is described
    bool several_partitions = false;  ///< it uses all partitions of a machine; else there may be only one
    bool resizes = false;             ///< it changes the number of nodes of programs that iterate
};

struct PolicyRow : PolicyText {
    std::vector<OptionRow> options;  ///< in the order in which they are set: some have an influence on later ones
    std::any defaults;               ///< its rules
    std::function<std::unique_ptr<Scheduler>(const std::any& rules)> make;
};

template <class Rules>
OptionRow option_row(const Option<Rules>& option) {
    return {option.name, option.label, option.text,
            [set = option.set](std::any& rules, std::string_view value) {
                return set(std::any_cast<Rules&>(rules), value);
            },
            [get = option.get](const std::any& rules) { return get(std::any_cast<const Rules&>(rules)); }};
}

/// Makes a row. `options` are tables, so that policies can have some in common; `defaults` are the rules that the
/// policy has when no option is given.
template <class Rules>
PolicyRow policy_row(const PolicyText& text, std::initializer_list<std::span<const Option<Rules>>> options,
                     const Rules& defaults, std::unique_ptr<Scheduler> (*make)(const Rules&)) {
    PolicyRow row{
        text, {}, defaults, [make](const std::any& rules) { return make(std::any_cast<const Rules&>(rules)); }};
    for (const std::span<const Option<Rules>> table : options)
        for (const Option<Rules>& option : table) row.options.push_back(option_row(option));
    return row;
}

/// Returns every policy that can be named, in the order of the documents. References to rows stay valid.
const std::deque<PolicyRow>& policies();

/// Returns the policy of that name; nullptr: there is none.
const PolicyRow* find_policy(std::string_view name);

/// Adds a policy to those that can be named. Errors: a policy of that name is there already. Not thread-safe: a program
/// adds its policies before it names any.
Read add_policy(PolicyRow row);

/// A policy with values for its options.
class Policy {
public:
    explicit Policy(const PolicyRow& row) : row_(&row), rules_(row.defaults) {}

    const PolicyRow& row() const noexcept { return *row_; }
    /// Returns the option of that name; nullptr: the policy has none.
    const OptionRow* find(std::string_view option) const;
    Read set(const OptionRow& option, std::string_view value) { return option.set(rules_, value); }
    std::string get(const OptionRow& option) const { return option.get(rules_); }
    /// Makes a scheduler that decides by the present values.
    std::unique_ptr<Scheduler> scheduler() const { return row_->make(rules_); }

    /// Returns the rules of a policy whose type is known.
    template <class Rules>
    const Rules& rules() const {
        return std::any_cast<const Rules&>(rules_);
    }
    template <class Rules>
    Rules& rules() {
        return std::any_cast<Rules&>(rules_);
    }

private:
    const PolicyRow* row_;
    std::any rules_;
};

/// Says which two options of the policy contradict each other; empty: none do.
std::string contradiction(const Policy& policy);

}  // namespace drom::policy
