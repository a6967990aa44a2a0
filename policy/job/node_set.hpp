// SPDX-License-Identifier: BSD-3-Clause
// node_set.hpp - a set of nodes as sorted ranges of their numbers: small for the allocations that schedulers make.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drom::policy {

/// Nodes [first, last].
struct NodeRange {
    int first = 0, last = -1;

    int count() const noexcept { return last - first + 1; }
    friend bool operator==(const NodeRange&, const NodeRange&) = default;
};

class NodeSet {
public:
    NodeSet() = default;
    /// Holds `count` nodes from `first` on.
    NodeSet(int first, int count);

    bool empty() const noexcept { return ranges_.empty(); }
    int count() const noexcept { return count_; }
    bool contains(int node) const noexcept;
    bool contiguous() const noexcept { return ranges_.size() <= 1; }
    const std::vector<NodeRange>& ranges() const noexcept { return ranges_; }

    /// Adds the nodes of `other`. Cost: the ranges of both.
    void insert(const NodeSet& other);
    /// Removes the nodes of `other` that are there. Cost: the ranges of both.
    void erase(const NodeSet& other);
    /// Removes and returns the `count` lowest numbers; all when there are fewer. Cost: the ranges of this set.
    NodeSet take_first(int count);
    /// Returns the nodes that are in both.
    NodeSet common(const NodeSet& other) const;
    /// Returns the lowest `count` adjacent nodes; empty when there are none.
    NodeSet adjacent(int count) const;

    /// Reads text(). Nothing when it is no such list, or has numbers of 2^24 or more.
    static std::optional<NodeSet> parse(std::string_view text);
    /// Returns the set as hwloc and Slurm write lists: "0-3,8".
    std::string text() const;

    friend bool operator==(const NodeSet& a, const NodeSet& b) { return a.ranges_ == b.ranges_; }

private:
    void append(NodeRange range);

    std::vector<NodeRange> ranges_;
    int count_ = 0;
};

}  // namespace drom::policy
