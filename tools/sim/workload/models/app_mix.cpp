// SPDX-License-Identifier: BSD-3-Clause
// app_mix.cpp - shares of applications.
#include "workload/models/app_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "libdrom/base/number_text.hpp"
#include "workload/models/random.hpp"

namespace drom::sim {
namespace {

constexpr int kStream = 17;  ///< of the applications, beside a workload's own draws

tl::expected<std::pair<int, double>, std::string> read_share(std::string_view item) {
    std::pair<int, double> share;
    const std::size_t colon = item.find(':');
    const bool whole = colon != std::string_view::npos && is_number(item.substr(0, colon), share.first) &&
                       is_number(item.substr(colon + 1), share.second);
    if (whole && share.second >= 0 && share.second <= 100) return share;
    return tl::unexpected(
        fmt::format("'{}' is no share of an application; mixes look like even, or 8:33,1:10 (NUMBER:PERCENT)", item));
}

/// Returns the share of each of `numbers`; they sum up to 100.
tl::expected<std::vector<double>, std::string> shares_of(const AppMix& mix, std::span<const int> numbers) {
    double rest = 100;
    for (const auto& [number, percent] : mix) {
        if (std::ranges::find(numbers, number) == numbers.end())
            return tl::unexpected(fmt::format("there is no application {} in the table", number));
        rest -= percent;
    }
    const auto others = static_cast<double>(numbers.size() - mix.size());
    if (others <= 0 && rest > 1e-9)
        return tl::unexpected(fmt::format("the shares of all applications sum up to {} %", 100 - rest));
    std::vector<double> shares(numbers.size(), others > 0 ? rest / others : 0);
    for (const auto& [number, percent] : mix)
        shares[static_cast<std::size_t>(std::ranges::find(numbers, number) - numbers.begin())] = percent;
    return shares;
}

}  // namespace

tl::expected<AppMix, std::string> read_app_mix(std::string_view text) {
    if (text == "even" || text == "13") return AppMix{};
    if (text == "33") return AppMix{{8, 33}};
    if (text == "50") return AppMix{{8, 50}};
    AppMix mix;
    double sum = 0;
    for (std::size_t from = 0; from <= text.size(); from = std::min(text.size(), text.find(',', from)) + 1) {
        const auto share = read_share(text.substr(from, text.find(',', from) - from));
        if (!share) return tl::unexpected(share.error());
        if (std::ranges::find(mix, share->first, &std::pair<int, double>::first) != mix.end())
            return tl::unexpected(fmt::format("application {} is given twice", share->first));
        mix.push_back(*share);
        sum += share->second;
    }
    if (sum > 100 + 1e-9) return tl::unexpected(fmt::format("the shares in '{}' sum up to {} %", text, sum));
    return mix;
}

tl::expected<void, std::string> draw_applications(Workload& workload, const AppMix& mix, std::span<const int> numbers,
                                                  std::uint64_t seed) {
    const auto shares = shares_of(mix, numbers);
    if (!shares) return tl::unexpected(shares.error());
    Random random(seed * 1'000'003 + kStream);
    for (LogJob& job : workload.jobs) {
        double left = 100 * random.uniform();
        std::size_t at = 0;
        while (at + 1 < numbers.size() && left >= (*shares)[at]) left -= (*shares)[at++];
        job.application = numbers[at];
    }
    return {};
}

}  // namespace drom::sim
