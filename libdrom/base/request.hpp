// SPDX-License-Identifier: BSD-3-Clause
// request.hpp - a client's new mask, and its number.
#pragma once

#include "cpuset.hpp"

namespace drom {

/// The last of the forms that a wanted mask takes: an order is what was asked, a plan says which words change, and a
/// request is what the client gets.
struct Request {
    uint64_t seq;  ///< counts the requests to one client; 0: none
    CpuSet mask;
};

}  // namespace drom
