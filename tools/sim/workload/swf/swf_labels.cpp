// SPDX-License-Identifier: BSD-3-Clause
// swf_labels.cpp - numbers for the names that a log has where the format has numbers.
#include "workload/swf/swf_labels.hpp"

#include <algorithm>

namespace drom::sim::swf {

int Names::index(std::string_view name) {
    if (const auto found = indices_.find(name); found != indices_.end()) return found->second;
    const int next = static_cast<int>(list_.size());
    list_.emplace_back(name);
    indices_.emplace(name, next);
    return next;
}

Labels::Code Labels::read(std::string_view text) {
    const Number number = read_number(text);
    switch (number.form) {
        case Number::Form::kMissing: return {};
        case Number::Form::kHuge: return {Kind::kOutOfRange, kUnknown};
        case Number::Form::kWhole:
        case Number::Form::kFraction: break;
        case Number::Form::kText: {
            const bool control =
                std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
            if (control) return {Kind::kNoLabel, kUnknown};
            return {Kind::kName, kFirstName - names.index(text)};
        }
    }
    if (number.value > kLargest) return {Kind::kOutOfRange, kUnknown};
    const int value = static_cast<int>(std::max<std::int64_t>(number.value, kUnknown));
    largest_ = std::max(largest_, value);
    return {Kind::kNumber, value};
}

int Labels::named(int code, const std::vector<int>& listed) {
    if (code == kUnknown) return kUnknown;
    if (code < kUnknown) return kFirstName - code;
    if (code >= 1 && static_cast<std::size_t>(code) <= listed.size()) return listed[static_cast<std::size_t>(code) - 1];
    return names.index(std::to_string(code));
}

}  // namespace drom::sim::swf
