// SPDX-License-Identifier: BSD-3-Clause
// clients.cpp - which client a person means.
#include "command_line/clients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "libdrom/base/number_text.hpp"
#include "output/format.hpp"

namespace drom::command {

namespace {

std::optional<uint32_t> whole_number(std::string_view text) {
    uint32_t value = 0;
    return is_number(text, value) ? std::optional(value) : std::nullopt;
}

/// Returns the pid by which the library knows the client. The library takes the one of its own pid namespace.
Expected<pid_t> pid_of(const drom_client_info& client, std::span<const drom_client_info> clients) {
    for (const auto& info : clients)
        if (info.pid == client.pid && info.slot != client.slot)
            return failure(DROM_E_BUSY,
                           fmt::format("the clients of slots {} and {} are both process {}, in pid namespaces of their "
                                       "own; name it by its pid from within its container",
                                       std::min(client.slot, info.slot), std::max(client.slot, info.slot), info.pid));
    return client.pid;
}

Expected<pid_t> by_slot(std::string_view text, std::span<const drom_client_info> clients) {
    const auto slot = whole_number(text.substr(1));
    if (!slot) return failure(DROM_E_INVAL, fmt::format("'{}' is not a slot; a slot is written '#3'", text));
    for (const auto& info : clients)
        if (info.slot == *slot) return pid_of(info, clients);
    return failure(DROM_E_NOPROC, fmt::format("slot {} holds no client; drom list shows those that do", *slot));
}

Expected<pid_t> by_pid(uint32_t number, std::span<const drom_client_info> clients) {
    if (number == 0 || number > INT32_MAX) return failure(DROM_E_INVAL, fmt::format("'{}' is not a pid", number));
    const auto pid = static_cast<pid_t>(number);
    for (const auto& info : clients)
        if (info.pid == pid) return pid;
    for (const auto& info : clients)
        if (info.launcher_pid == pid) return pid_of(info, clients);
    return pid;
}

/// Cuts a name that no client can have: it is as long as its writer liked.
std::string shortened(std::string_view text) {
    constexpr size_t kMax = sizeof(drom_client_info::name) - 1;
    return text.size() <= kMax ? std::string(text) : fmt::format("{}...", text.substr(0, kMax));
}

Expected<pid_t> by_name(std::string_view text, std::span<const drom_client_info> clients) {
    std::vector<const drom_client_info*> found;
    for (const auto& info : clients)
        if (text == info.name) found.push_back(&info);
    if (found.size() == 1) return pid_of(*found.front(), clients);
    if (found.empty())
        return failure(DROM_E_NOPROC,
                       fmt::format("no client is called '{}'; drom list shows those there are", shortened(text)));
    std::vector<std::string> pids;
    pids.reserve(found.size());
    for (const auto* info : found) pids.push_back(std::to_string(info->pid));
    return failure(DROM_E_BUSY, fmt::format("{} clients are called '{}': {}; name one by its pid", found.size(), text,
                                            joined(pids, ", ")));
}

}  // namespace

Expected<pid_t> resolve_client(std::string_view text, std::span<const drom_client_info> clients) {
    if (text.empty()) return failure(DROM_E_INVAL, "CLIENT is empty");
    if (text.front() == '#') return by_slot(text, clients);
    if (text.find_first_not_of("0123456789") == std::string_view::npos) {
        const auto number = whole_number(text);
        if (!number) return failure(DROM_E_INVAL, fmt::format("'{}' is not a pid", text));
        return by_pid(*number, clients);
    }
    return by_name(text, clients);
}

Expected<NamedClient> open_client(const CommandOptions& options, const OpenMode& how) {
    auto table = Table::open(options.table, how);
    if (!table) return tl::make_unexpected(table.error());
    const auto clients = table->clients();
    if (!clients) return tl::make_unexpected(clients.error());
    const auto pid = resolve_client(options.client, *clients);
    if (!pid) return tl::make_unexpected(sentence(options, pid.error().status, pid.error().text));
    auto view = view_of(*table, *pid);
    if (!view) return tl::make_unexpected(view.error());
    return NamedClient{*std::move(table), *std::move(view)};
}

}  // namespace drom::command
