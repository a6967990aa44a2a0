// SPDX-License-Identifier: BSD-3-Clause
// registry.cpp - the list of policies, and options by name.
#include "policy/registry/registry.hpp"

#include <algorithm>

#include "policy/registry/backfill_rows.hpp"
#include "policy/registry/energy_rows.hpp"
#include "policy/registry/platform_rows.hpp"
#include "policy/registry/resize_rows.hpp"

namespace drom::policy {
namespace {

std::deque<PolicyRow>& rows() {
    static std::deque<PolicyRow> all = [] {
        std::deque<PolicyRow> made;
        for (PolicyRow& row : backfill_rows()) made.push_back(std::move(row));
        for (PolicyRow& row : energy_rows()) made.push_back(std::move(row));
        for (PolicyRow& row : platform_rows()) made.push_back(std::move(row));
        for (PolicyRow& row : resize_rows()) made.push_back(std::move(row));
        return made;
    }();
    return all;
}

}  // namespace

const std::deque<PolicyRow>& policies() { return rows(); }

const PolicyRow* find_policy(std::string_view name) {
    const auto found = std::ranges::find(rows(), name, [](const PolicyRow& row) { return std::string_view(row.name); });
    return found == rows().end() ? nullptr : &*found;
}

Read add_policy(PolicyRow row) {
    if (find_policy(row.name) != nullptr)
        return tl::unexpected("policy '" + std::string(row.name) + "' is there already");
    rows().push_back(std::move(row));
    return {};
}

const OptionRow* Policy::find(std::string_view option) const {
    const auto found =
        std::ranges::find(row_->options, option, [](const OptionRow& row) { return std::string_view(row.name); });
    return found == row_->options.end() ? nullptr : &*found;
}

std::string contradiction(const Policy& policy) {
    std::string why = contradiction_in_efficiency(policy);
    return why.empty() ? contradiction_in_backfill(policy) : why;
}

}  // namespace drom::policy
