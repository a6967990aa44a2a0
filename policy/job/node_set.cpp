// SPDX-License-Identifier: BSD-3-Clause
// node_set.cpp - sorted ranges of node numbers.
#include "policy/job/node_set.hpp"

#include <algorithm>
#include <charconv>

namespace drom::policy {

NodeSet::NodeSet(int first, int count) {
    if (count > 0) append({first, first + count - 1});
}

// Ranges must come in ascending order. A range that touches its predecessor becomes part of it.
void NodeSet::append(NodeRange range) {
    count_ += range.count();
    if (!ranges_.empty() && ranges_.back().last + 1 == range.first) {
        ranges_.back().last = range.last;
        return;
    }
    ranges_.push_back(range);
}

bool NodeSet::contains(int node) const noexcept {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), node, [](int n, const NodeRange& r) { return n < r.first; });
    return after != ranges_.begin() && std::prev(after)->last >= node;
}

void NodeSet::insert(const NodeSet& other) {
    if (other.empty()) return;
    NodeSet both;
    both.ranges_.reserve(ranges_.size() + other.ranges_.size());
    auto a = ranges_.begin();
    auto b = other.ranges_.begin();
    while (a != ranges_.end() || b != other.ranges_.end()) {
        const bool from_a = b == other.ranges_.end() || (a != ranges_.end() && a->first < b->first);
        NodeRange next = from_a ? *a++ : *b++;
        if (!both.ranges_.empty()) next.first = std::max(next.first, both.ranges_.back().last + 1);
        if (next.count() > 0) both.append(next);
    }
    *this = std::move(both);
}

void NodeSet::erase(const NodeSet& other) {
    if (other.empty() || empty()) return;
    NodeSet rest;
    rest.ranges_.reserve(ranges_.size() + other.ranges_.size());
    auto gone = other.ranges_.begin();
    for (NodeRange range : ranges_) {
        while (gone != other.ranges_.end() && gone->last < range.first) ++gone;
        for (auto cut = gone; cut != other.ranges_.end() && cut->first <= range.last; ++cut) {
            if (cut->first > range.first) rest.append({range.first, cut->first - 1});
            range.first = cut->last + 1;
        }
        if (range.count() > 0) rest.append(range);
    }
    *this = std::move(rest);
}

NodeSet NodeSet::take_first(int count) {
    NodeSet taken;
    auto range = ranges_.begin();
    for (; range != ranges_.end() && taken.count_ < count; ++range) {
        const int n = std::min(range->count(), count - taken.count_);
        taken.append({range->first, range->first + n - 1});
        if (n == range->count()) continue;
        range->first += n;
        break;
    }
    ranges_.erase(ranges_.begin(), range);
    count_ -= taken.count_;
    return taken;
}

NodeSet NodeSet::common(const NodeSet& other) const {
    NodeSet both;
    auto a = ranges_.begin();
    auto b = other.ranges_.begin();
    while (a != ranges_.end() && b != other.ranges_.end()) {
        const NodeRange overlap{std::max(a->first, b->first), std::min(a->last, b->last)};
        if (overlap.count() > 0) both.append(overlap);
        if (a->last < b->last)
            ++a;
        else
            ++b;
    }
    return both;
}

NodeSet NodeSet::adjacent(int count) const {
    for (const NodeRange& range : ranges_)
        if (range.count() >= count) return {range.first, count};
    return {};
}

std::string NodeSet::text() const {
    std::string text;
    for (const NodeRange& range : ranges_) {
        if (!text.empty()) text += ',';
        text += std::to_string(range.first);
        if (range.count() > 1) text += '-' + std::to_string(range.last);
    }
    return text;
}

std::optional<NodeSet> NodeSet::parse(std::string_view text) {
    constexpr int kMax = (1 << 24) - 1;  // more nodes than any machine has
    const auto number = [&text](int& value) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || value < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return true;
    };
    const auto skip = [&text](char c) {
        if (!text.starts_with(c)) return false;
        text.remove_prefix(1);
        return true;
    };
    NodeSet set;
    if (text.empty()) return set;
    do {
        NodeRange range;
        if (!number(range.first)) return std::nullopt;
        range.last = range.first;
        if (skip('-') && !number(range.last)) return std::nullopt;
        if (range.last < range.first || range.last > kMax) return std::nullopt;
        set.insert({range.first, range.count()});
    } while (skip(','));
    return text.empty() ? std::optional(set) : std::nullopt;
}

}  // namespace drom::policy
