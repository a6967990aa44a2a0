// SPDX-License-Identifier: BSD-3-Clause
// table_fuzz.cpp - a table with random bytes in it, with a checksum that fits or not: opened, listed, changed, checked.
// Each call ends with a documented status, and a damaged header is refused.
//
// The tables are those that crash-walk starts from. An input consists of the table, the call, how to open the table,
// the arguments, and then changes of twelve bytes each: {what, how, where:16, value:64}. No call here sets an affinity,
// because a pid in a damaged table may be that of any process.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "admin/description.hpp"
#include "admin/wait.hpp"
#include "fuzz.hpp"
#include "scene.hpp"
#include "temp_dir.hpp"

namespace {

using namespace drom;
using fuzz::must;

using Files = std::map<std::string, std::string>;

Files files_of(const std::string& directory) {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        std::ifstream in(entry.path(), std::ios::binary);
        files[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
    }
    return files;
}

/// Holds the tables, as bytes, and the processes that they name.
struct World {
    World() {
        for (const crash::Start& start : crash::starts()) {
            const test::TempDir built;
            {
                crash::Scene scene(built.table(), people);
                start.build(scene);
            }
            tables.push_back(files_of(built.table()));
        }
        must(mkdir(table().c_str(), 0700) == 0, "a folder is made");
    }
    [[nodiscard]] std::string table() const { return place.table(); }

    crash::People people;
    std::vector<Files> tables;
    test::TempDir place;
    Files last;  ///< names of the files that are there
};

void write_file(const std::string& path, const std::string& bytes) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a file is written");
    close(fd);
}

void lay_down(World& world, const Files& files) {
    for (const auto& entry : std::filesystem::directory_iterator(world.table()))
        if (files.count(entry.path().filename()) == 0) std::filesystem::remove(entry.path());
    for (const auto& [name, bytes] : files) write_file(world.table() + "/" + name, bytes);
}

// --- changes -------------------------------------------------------------------------------------------------------

struct Region {
    std::size_t begin, size;
};

Region region_of(const Header& header, std::uint8_t what) {
    const std::array<Region, 8> regions{{{0, sizeof(Header)},
                                         {header.owners_at, header.homes_at - header.owners_at},
                                         {header.homes_at, header.locations_at - header.homes_at},
                                         {header.slots_at, header.requests_at - header.slots_at},
                                         {header.requests_at, header.intent_at - header.requests_at},
                                         {header.intent_at, header.events_at - header.intent_at},
                                         {header.events_at, header.file_size - header.events_at},
                                         {0, header.file_size}}};
    return regions[what % regions.size()];
}

template <class Number>
void change_number(char* at, std::uint8_t how, std::uint64_t by) {
    Number number{};
    std::memcpy(&number, at, sizeof number);
    const auto value = static_cast<Number>(by);
    number = how == 0 ? value : static_cast<Number>(how == 1 ? number ^ value : number + value);
    std::memcpy(at, &number, sizeof number);
}

void change_bytes(std::string& bytes, const Region& region, fuzz::Input& input) {
    const std::uint8_t how = input.byte();
    const std::size_t where = input.number<std::uint16_t>();
    const auto value = input.number<std::uint64_t>();
    const bool whole = (how & 4) != 0;
    const std::size_t width = whole ? 8 : 1;
    if (region.size < width) return;
    const std::size_t at = region.begin + where * width % (region.size - width + 1);
    if (at + width > bytes.size()) return;
    if (whole)
        change_number<std::uint64_t>(&bytes[at], how & 3, value);
    else
        change_number<std::uint8_t>(&bytes[at], how & 3, value);
}

/// Changes a part of the ledger (0 to 7), a client's page (8), or the length of a file (9).
void change(Files& files, const Header& good, fuzz::Input& input) {
    const std::uint8_t what = input.byte() % 10;
    if (what < 8) return change_bytes(files["ledger"], region_of(good, what), input);
    auto chosen = files.begin();  // pages come before the ledger
    std::advance(chosen, input.byte() % files.size());
    if (what == 8) return change_bytes(chosen->second, {0, chosen->second.size()}, input);
    input.byte();
    const std::size_t length = input.number<std::uint16_t>();
    input.number<std::uint64_t>();
    chosen->second.resize(std::min<std::size_t>(length * 8, 2 * chosen->second.size()));
}

void read_header(const std::string& bytes, Header& header) {
    std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof header);
}

void fix_checksum(std::string& bytes) {
    if (bytes.size() < sizeof(Header)) return;
    Header header{};
    read_header(bytes, header);
    header.checksum = header_checksum(header);
    std::memcpy(bytes.data(), static_cast<void*>(&header), sizeof header);
}

/// Returns the bytes that are written when a table is made, and never again.
std::string fixed_part(const std::string& bytes) { return bytes.substr(0, offsetof(Header, admin_lock)); }

// --- work ----------------------------------------------------------------------------------------------------------

struct Arguments {
    std::uint32_t pid, other;
    CpuSet mask;
    std::uint32_t to;
    Options options;
};

std::uint32_t pid_of(const crash::People& people, std::uint8_t which) {
    const std::array<std::uint32_t, 7> pids{people.a.upid(), people.b.upid(), people.c.upid(),
                                            people.d.upid(), people.dead.pid, static_cast<std::uint32_t>(getpid()),
                                            0x7fffffff};
    return pids[which % pids.size()];
}

Arguments arguments_of(const crash::People& people, fuzz::Input& input) {
    constexpr std::uint64_t kFlags = DROM_TAKE | DROM_RETURN | DROM_FAST | DROM_RIGID;
    Arguments arguments{};
    const std::uint8_t processes = input.byte();
    arguments.pid = pid_of(people, processes & 7);
    arguments.other = pid_of(people, processes >> 3);
    arguments.mask.words[0] = input.byte();
    arguments.to = input.byte();
    arguments.options = crash::with((std::uint64_t{input.byte()} << 3 & kFlags) | DROM_NEVER_CONFINE);
    arguments.options.timeout_ms = 1;
    return arguments;
}

using Work = int (*)(Table&, const Arguments&, drom_error*);

int set_two(Table& table, const Arguments& a, drom_error* error) {
    CpuSet rest = CpuSet::range(0, crash::kCpus) - a.mask;
    const std::array<ClientMask, 2> both{{{a.pid, a.mask}, {a.other, rest}}};
    return set_masks(table, both.data(), both.size(), a.options, error);
}

int follow(Table& table, const Arguments& a, drom_error* error) {
    std::array<drom_event, 16> events{};
    std::uint64_t next = a.to % 2 == 0 ? 0 : UINT64_MAX;
    std::size_t count = events.size();
    const int status = read_events(table, &next, events.data(), &count, 0, error);
    must(count <= events.size(), "no more events than there is room for");
    return status;
}

constexpr std::array<Work, 14> kWorks{
    [](Table& t, const Arguments& a, drom_error* e) { return change(t, a.pid, {Order::kSet, a.mask}, a.options, e); },
    [](Table& t, const Arguments& a, drom_error* e) { return change(t, a.pid, {Order::kAdd, a.mask}, a.options, e); },
    [](Table& t, const Arguments& a, drom_error* e) {
        return change(t, a.pid, {Order::kRemove, a.mask}, a.options, e);
    },
    [](Table& t, const Arguments& a, drom_error* e) {
        return change(t, a.pid, {Order::kShrink, {}, a.to}, a.options, e);
    },
    [](Table& t, const Arguments& a, drom_error* e) {
        return change(t, a.pid, {Order::kExpand, {}, a.to}, a.options, e);
    },
    set_two,
    [](Table& t, const Arguments& a, drom_error* e) { return reserve(t, a.pid, a.mask, a.options, nullptr, e); },
    [](Table& t, const Arguments& a, drom_error* e) { return release(t, a.pid, a.options, e); },
    [](Table& t, const Arguments& a, drom_error* e) { return change_cpus(t, intent::kDrain, a.mask, a.options, e); },
    [](Table& t, const Arguments& a, drom_error* e) { return change_cpus(t, intent::kRestore, a.mask, a.options, e); },
    [](Table& t, const Arguments& a, drom_error* e) { return wait_for(t, a.pid, a.to, a.options, e); },
    [](Table& t, const Arguments& a, drom_error* e) { return check_table(t, a.options, e); },
    [](Table& t, const Arguments& a, drom_error* e) { return get_mask(t, a.pid, nullptr, nullptr, e); },
    follow};

void must_be_documented(int status, const drom_error& error) {
    must(status >= DROM_E_NOINIT && status <= DROM_UNCHANGED, "a documented status");
    if (status >= 0) return;
    must(error.status == status && error.text[0] != '\0', "an error is a sentence", error.text);
    must(std::strchr(error.text, '\n') == nullptr, "of one line", error.text);
}

void list(Table& table) {
    std::array<drom_client_info, crash::kSlots> clients{};
    clients[0].size = sizeof clients[0];
    std::size_t count = clients.size();
    drom_error error{};
    must_be_documented(list_clients(table, clients.data(), &count, &error), error);
    for (std::size_t i = 0; i < std::min(count, clients.size()); ++i) {
        const drom_client_info& client = clients[i];
        must(strnlen(client.name, sizeof client.name) < sizeof client.name, "a name is terminated");
        must(strnlen(client.why, sizeof client.why) < sizeof client.why, "a reason is terminated");
        must(client.owned_cpus <= crash::kCpus && client.wanted_cpus <= crash::kCpus, "no more CPUs than there are");
    }
    const auto [present, unowned, drained] = node_masks(table.ledger);
    must((present | unowned | drained).within(crash::kCpus), "no CPU that the table does not have");
}

void work_on(Table& table, Work work, const Arguments& arguments) {
    drom_error error{};
    list(table);
    must_be_documented(work(table, arguments, &error), error);
    must_be_documented(check_table(table, arguments.options, &error), error);
    list(table);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static World world;
    fuzz::Input input(data, size);
    Files files = world.tables[input.byte() % world.tables.size()];
    const Work work = kWorks[input.byte() % kWorks.size()];
    const std::uint8_t how = input.byte();
    const Arguments arguments = arguments_of(world.people, input);
    const std::string good = files["ledger"];
    Header shape{};
    read_header(good, shape);
    while (!input.empty()) change(files, shape, input);
    if ((how & 1) != 0) fix_checksum(files["ledger"]);
    lay_down(world, files);

    Table table;
    drom_error error{};
    const int status = table.open(world.table().c_str(), crash::with((how & 2) != 0 ? DROM_READONLY : 0), &error);
    must_be_documented(status, error);
    const bool damaged = files["ledger"].size() != good.size() || fixed_part(files["ledger"]) != fixed_part(good);
    must((how & 1) != 0 || !damaged || status < 0, "a damaged header is refused");
    must(damaged || status == DROM_OK, "a good header is believed", error.text);
    if (status == DROM_OK) work_on(table, work, arguments);
    return 0;
}
