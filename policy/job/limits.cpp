// SPDX-License-Identifier: BSD-3-Clause
// limits.cpp - limits by name, and by the numbers that jobs have.
#include "policy/job/limits.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

#include "policy/job/escaped.hpp"
#include "policy/job/option_values.hpp"

namespace drom::policy {
namespace {

constexpr std::string_view kNothing = "none";

std::vector<std::string> names_of(const std::vector<NamedLimit>& limits) {
    std::vector<std::string> names;
    for (const NamedLimit& limit : limits) names.push_back(limit.name);
    return names;
}

/// Returns `numbers` for the names that have one.
Numbers known(const std::vector<std::string>& names, const Numbers& numbers) {
    Numbers some;
    for (const std::string& name : names)
        if (const auto found = numbers.find(name); found != numbers.end()) some.insert(*found);
    return some;
}

std::map<int, double> numbered_limits(const std::vector<NamedLimit>& limits, const Numbers& numbers) {
    std::map<int, double> all;
    for (const NamedLimit& limit : limits)
        if (const auto found = numbers.find(limit.name); found != numbers.end()) {
            const auto [known, is_new] = all.emplace(found->second, limit.max_slowdown);
            if (!is_new) known->second = std::min(known->second, limit.max_slowdown);
        }
    return all;
}

/// Returns the limit of a number; nothing: it has none of its own.
std::optional<double> find(const std::map<int, double>& limits, int number) {
    const auto found = limits.find(number);
    return found == limits.end() ? std::nullopt : std::optional(found->second);
}

std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : "/") + item;
    return text.empty() ? std::string(kNothing) : text;
}

std::vector<std::string_view> items_of(std::string_view text) {
    std::vector<std::string_view> items;
    for (std::size_t from = 0; from <= text.size(); from += items.back().size() + 1)
        items.push_back(text.substr(from, text.find('/', from) - from));
    return items;
}

Read read_limit(double& into, std::string_view text) {
    if (text == "inf") {
        into = std::numeric_limits<double>::infinity();
        return {};
    }
    if (auto read = read_number(into, text, NamedLimit::kSlowdowns); !read)
        return tl::unexpected(read.error() + "; nor inf");
    return {};
}

bool is_letter_or_digit(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || byte >= 0x80;  // names may be in UTF-8
}

/// Reads a name that is not one of `before`. Errors: the name cannot be one, or is one of them.
tl::expected<std::string, std::string> read_name(std::string_view text, const std::vector<std::string>& before) {
    const auto has = [text](const char* what) { return tl::unexpected("has the name '" + std::string(text) + what); };
    if (text.empty()) return tl::unexpected(std::string("has a name that is empty"));
    // A comma would begin the next option in a setting, and so in a record.
    if (text.find_first_of(" ,") != std::string_view::npos)
        return has("', which has a blank or a comma; write %20 and %2C for them");
    const auto name = unescaped(text);
    if (!name) return has("', where % does not stand for a letter as in %2F; %25 is a percent sign");
    if (std::ranges::none_of(*name, is_letter_or_digit)) return has("', which has no letter or digit");
    if (std::ranges::find(before, *name) == before.end()) return *name;
    return tl::unexpected("names '" + std::string(text) + "' twice");
}

tl::expected<NamedLimit, std::string> named_limit(std::string_view item) {
    const std::size_t colon = item.rfind(':');
    if (colon == std::string_view::npos)
        return tl::unexpected("has '" + std::string(item) + "', which is no NAME:LIMIT; limits look like 2:10/5:inf");
    NamedLimit limit{std::string(item.substr(0, colon)), 1};
    const std::string_view number = item.substr(colon + 1);
    if (const auto read = read_limit(limit.max_slowdown, number); !read)
        return tl::unexpected("has the limit '" + std::string(number) + "', which " + read.error());
    return limit;
}

}  // namespace

int Names::number(std::string_view name) {
    if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
    const auto next = static_cast<int>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(name, next);
    return next;
}

std::string Names::name(int number) const {
    const auto index = static_cast<std::size_t>(number);
    return index < names_.size() ? names_[index] : std::to_string(number);
}

MateLimits::Admitted MateLimits::numbered(const Admission& admission, const Numbers& numbers) {
    Admitted admitted;
    for (const auto& [name, number] : known(admission.only, numbers)) admitted.only.insert(number);
    for (const auto& [name, number] : known(admission.no, numbers)) admitted.no.insert(number);
    admitted.all = admission.only.empty();
    return admitted;
}

bool MateLimits::admits_by_numbers(const Job& job) const {
    return partitions_admitted_.has(job.partition) && qos_admitted_.has(job.qos) && accounts_admitted_.has(job.account);
}

void MateLimits::set_numbers(const Numbers& partition_numbers, const Numbers& qos_numbers,
                             const Numbers& account_numbers) {
    std::vector<std::string> qos_names = names_of(qos);
    qos_names.insert(qos_names.end(), qos_order.begin(), qos_order.end());
    qos_names.insert(qos_names.end(), urgent.begin(), urgent.end());
    std::vector<std::string> partition_names = names_of(partitions);
    for (const auto* names : {&share_partitions.only, &share_partitions.no})
        partition_names.insert(partition_names.end(), names->begin(), names->end());
    for (const auto* names : {&share_qos.only, &share_qos.no})
        qos_names.insert(qos_names.end(), names->begin(), names->end());
    partition_numbers_ = known(partition_names, partition_numbers);
    qos_numbers_ = known(qos_names, qos_numbers);
    of_partition_ = numbered_limits(partitions, partition_numbers_);
    of_qos_ = numbered_limits(qos, qos_numbers_);
    places_.clear();
    for (std::size_t place = 0; place < qos_order.size(); ++place)
        if (const auto found = qos_numbers_.find(qos_order[place]); found != qos_numbers_.end())
            places_[found->second] = static_cast<int>(place);
    partitions_admitted_ = numbered(share_partitions, partition_numbers_);
    qos_admitted_ = numbered(share_qos, qos_numbers_);
    accounts_admitted_ = numbered(share_accounts, account_numbers);
    selects_ = !share_partitions.empty() || !share_qos.empty() || !share_accounts.empty();
    urgent_.clear();
    for (const std::string& name : urgent)
        if (const auto found = qos_numbers_.find(name); found != qos_numbers_.end()) urgent_.insert(found->second);
}

void MateLimits::set_numbers(JobNames& names) {
    for (const NamedLimit& limit : partitions) names.partitions.number(limit.name);
    for (const NamedLimit& limit : qos) names.qos.number(limit.name);
    for (const std::string& name : qos_order) names.qos.number(name);
    const auto number_all = [](Names& all, const Admission& admission) {
        for (const auto* list : {&admission.only, &admission.no})
            for (const std::string& name : *list) all.number(name);
    };
    number_all(names.partitions, share_partitions);
    number_all(names.qos, share_qos);
    number_all(names.accounts, share_accounts);
    set_numbers(names.partitions.numbers(), names.qos.numbers(), names.accounts.numbers());
}

/// Returns the limit of a mate by its partition and QOS alone: the smaller of the two, or the general one where it has
/// neither.
double MateLimits::of_class(const Job& mate, double general) const {
    const auto of_partition = find(of_partition_, mate.partition), of_qos = find(of_qos_, mate.qos);
    double limit = of_partition.value_or(of_qos.value_or(general));
    if (of_qos) limit = std::min(limit, *of_qos);
    return limit;
}

int MateLimits::place(int qos_number) const {
    const auto found = places_.find(qos_number);
    return found == places_.end() ? -1 : found->second;
}

std::string text_of(const std::vector<NamedLimit>& limits) {
    std::vector<std::string> items;
    for (const NamedLimit& limit : limits)
        items.push_back(escaped(limit.name) + ':' +
                        (std::isinf(limit.max_slowdown) ? "inf" : text_of(limit.max_slowdown)));
    return joined(items);
}

std::string text_of(const std::vector<std::string>& names) {
    std::vector<std::string> items;
    for (const std::string& name : names) items.push_back(escaped(name));
    return joined(items);
}

Read read_limits(std::vector<NamedLimit>& into, std::string_view text) {
    std::vector<NamedLimit> limits;
    std::vector<std::string> names;
    if (text != kNothing)
        for (const std::string_view item : items_of(text)) {
            auto limit = named_limit(item);
            if (!limit) return tl::unexpected(limit.error());
            auto name = read_name(limit->name, names);
            if (!name) return tl::unexpected(name.error());
            names.push_back(*name);
            limits.push_back({std::move(*name), limit->max_slowdown});
        }
    into = std::move(limits);
    return {};
}

Read read_names(std::vector<std::string>& into, std::string_view text) {
    std::vector<std::string> names;
    if (text != kNothing)
        for (const std::string_view item : items_of(text)) {
            auto name = read_name(item, names);
            if (!name) return tl::unexpected(name.error());
            names.push_back(std::move(*name));
        }
    into = std::move(names);
    return {};
}

constexpr std::string_view kSame[] = {"any", "user", "account"};

std::string_view text_of(Same same) { return kSame[static_cast<std::size_t>(same)]; }

Read read_same(Same& into, std::string_view text) {
    for (std::size_t i = 0; i < std::size(kSame); ++i) {
        if (text != kSame[i]) continue;
        into = static_cast<Same>(i);
        return {};
    }
    return tl::unexpected(std::string("is none of any, user and account"));
}

}  // namespace drom::policy
