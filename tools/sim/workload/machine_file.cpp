// SPDX-License-Identifier: BSD-3-Clause
// machine_file.cpp - readers of machines and of applications.
#include "workload/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "workload/plain_text.hpp"
#include "workload/swf/swf_row.hpp"
#include "workload/swf/swf_source.hpp"

namespace drom::sim {
namespace {

constexpr int kMaxNodes = 1'000'000, kMaxCores = 100'000;
constexpr double kMaxGhz = 100, kMaxWatts = 1e6, kMaxSeconds = 1e9, kMaxCoefficient = 1e9;

class MachineReader {
public:
    explicit MachineReader(std::string_view text) : in_(text) {}

    tl::expected<std::vector<PartitionFile>, std::string> read() {
        while (in_.next_line()) read_line(in_.word("a keyword"));
        close();
        if (in_.complaint().empty() && partitions_.empty()) in_.complain("there is no partition");
        if (!in_.complaint().empty()) return tl::unexpected(in_.complaint());
        return std::move(partitions_);
    }

private:
    using Read = void (MachineReader::*)();
    struct Keyword {
        std::string_view name;
        Read read;
        bool once, needed;
    };
    static std::span<const Keyword> keywords() {
        static constexpr Keyword kAll[] = {
            {"nodes", &MachineReader::read_nodes, true, true},     {"cores", &MachineReader::read_cores, true, true},
            {"nominal", &MachineReader::read_nominal, true, true}, {"idle", &MachineReader::read_idle, true, true},
            {"curve", &MachineReader::read_curve, true, false},    {"state", &MachineReader::read_state, false, true}};
        return kAll;
    }

    PartitionFile& now() { return partitions_.back(); }

    void read_line(std::string_view keyword) {
        if (keyword == "partition") return open();
        const auto known = std::ranges::find(keywords(), keyword, &Keyword::name);
        if (known == keywords().end())
            return in_.complain(
                fmt::format("{} is no keyword; there are partition, nodes, cores, nominal, idle, curve and state",
                            swf::quoted(keyword)));
        if (partitions_.empty()) return in_.complain("a line `partition NAME` has to come first");
        if (known->once && has(keyword)) return in_.complain(fmt::format("{} is given twice", keyword));
        seen_.push_back(known->name);
        (this->*known->read)();
    }

    bool has(std::string_view keyword) const { return std::ranges::find(seen_, keyword) != seen_.end(); }

    void open() {
        close();
        const std::string name(in_.word("the name of the partition"));
        if (std::ranges::find(partitions_, name, &PartitionFile::name) != partitions_.end())
            in_.complain(fmt::format("there is a partition {} already", swf::quoted(name)));
        partitions_.push_back({name, 0, 0, {}});
        seen_.clear();
    }

    /// Complains about what the partition that was read last lacks.
    void close() {
        if (partitions_.empty() || !in_.complaint().empty()) return;
        for (const Keyword& keyword : keywords())
            if (keyword.needed && !has(keyword.name))
                in_.complain(fmt::format("partition {} ends without a line `{}`", now().name, keyword.name));
        auto& node = now().node;
        const auto at = std::ranges::find(node.states, nominal_, &policy::FrequencyState::ghz);
        if (at == node.states.end())
            return in_.complain(fmt::format("partition {} has no state of its nominal {} GHz", now().name, nominal_));
        node.nominal = static_cast<std::size_t>(at - node.states.begin());
    }

    void read_nodes() { now().nodes = in_.whole("a number of nodes", 1, kMaxNodes); }
    void read_cores() { now().cores_per_node = in_.whole("a number of cores", 1, kMaxCores); }
    void read_nominal() { nominal_ = in_.number("a frequency in GHz", 0.001, kMaxGhz); }
    void read_idle() { now().node.idle_watts = in_.number("a power in watts", 0, kMaxWatts); }

    void read_curve() {
        if (has("state")) return in_.complain("the curve has to come before the states");
        policy::PowerCurve curve;
        curve.fixed = in_.number("the fixed share of the power", 0, 1);
        curve.exponent = in_.number("an exponent", 0, 10);
        now().node.curve = curve;
    }

    void read_state() {
        auto& states = now().node.states;
        policy::FrequencyState state;
        state.ghz = in_.number("a frequency in GHz", 0.001, kMaxGhz);
        if (!states.empty() && state.ghz <= states.back().ghz)
            in_.complain(fmt::format("{} GHz is not above the state before; states are ascending", state.ghz));
        if (!now().node.curve) {
            policy::Coefficients& k = state.from_nominal;
            for (double* one : {&k.a, &k.b, &k.c, &k.d, &k.e, &k.f})
                *one = in_.number("a coefficient (A B C D E F)", -kMaxCoefficient, kMaxCoefficient);
        }
        states.push_back(state);
    }

    PlainText in_;
    std::vector<PartitionFile> partitions_;
    std::vector<std::string_view> seen_;  ///< keywords of the present partition
    double nominal_ = 0;
};

class ApplicationReader {
public:
    ApplicationReader(std::string_view text, const std::vector<PartitionFile>& machine)
        : in_(text), machine_(machine) {}

    tl::expected<ApplicationTable, std::string> read() {
        while (in_.next_line()) read_line(in_.word("a keyword"));
        close();
        if (in_.complaint().empty() && table_.applications.empty()) in_.complain("there is no application");
        if (!in_.complaint().empty()) return tl::unexpected(in_.complaint());
        return std::move(table_);
    }

private:
    policy::Application& now() { return table_.applications.back(); }
    policy::Signatures& runs() { return now().larger.empty() ? now().on : now().larger.back().on; }

    void read_line(std::string_view keyword) {
        if (keyword == "app") return open();
        if (keyword != "on" && keyword != "nodes")
            return in_.complain(fmt::format("{} is no keyword; there are app, on and nodes", swf::quoted(keyword)));
        if (table_.applications.empty()) return in_.complain("a line `app NUMBER NAME` has to come first");
        if (keyword == "nodes") return open_larger();
        read_profile(std::string(in_.word("the name of a partition")));
    }

    void open() {
        close();
        policy::Application application;
        application.number = in_.whole("the application's number", 0, 1'000'000'000);
        if (std::ranges::find(table_.applications, application.number, &policy::Application::number) !=
            table_.applications.end())
            in_.complain(fmt::format("there is an application {} already", application.number));
        application.name = in_.word("the application's name");
        application.on.resize(machine_.size());
        table_.applications.push_back(std::move(application));
    }

    void open_larger() {
        close();
        const int before = now().larger.empty() ? 1 : now().larger.back().nodes;
        const int nodes = in_.whole("a number of nodes", 2, kMaxNodes);
        if (nodes <= before)
            in_.complain(fmt::format("{} is not above the {} before; sizes are ascending", nodes, before));
        now().larger.push_back({nodes, policy::Signatures(machine_.size())});
    }

    /// Complains about what the lines that were read last lack.
    void close() {
        if (table_.applications.empty() || !in_.complaint().empty()) return;
        if (!runs().front())
            return in_.complain(
                fmt::format("application {} ends without a line about {}, which requested times are for", now().number,
                            machine_.front().name));
        for (std::size_t p = 0; p < machine_.size(); ++p)
            if (runs()[p].has_value() != now().on[p].has_value())
                in_.complain(fmt::format("application {} has a line about {} at some sizes only; it needs one at each",
                                         now().number, machine_[p].name));
    }

    void read_profile(const std::string& name) {
        const auto at = std::ranges::find(machine_, name, &PartitionFile::name);
        const bool here = at != machine_.end();
        const auto number = static_cast<std::size_t>(at - machine_.begin());
        if (here && runs()[number]) return in_.complain(fmt::format("{} is given twice", swf::quoted(name)));
        policy::Signature signature;
        signature.seconds = value_of("seconds", "a time in seconds", 1e-9, kMaxSeconds);
        signature.watts = value_of("watts", "a power in watts", 1e-9, kMaxWatts);
        const std::string_view form = in_.word("cpi or slope");
        if (here && form != (at->node.curve ? "slope" : "cpi"))
            return in_.complain(fmt::format("partition {} has {}", swf::quoted(name),
                                            at->node.curve ? "a curve: its applications have a slope"
                                                           : "coefficients: its applications have cpi and tpi"));
        read_form(form, signature);
        if (!here) return leave_out(name);
        runs()[number] = signature;
        if (in_.complaint().empty()) check_power(*at, signature);
    }

    /// Complains about a state at which the application would take no time or power, or less than an idle node.
    void check_power(const PartitionFile& partition, const policy::Signature& signature) {
        const std::vector<policy::Prediction> predicted = policy::predict(partition.node, signature);
        for (const policy::FrequencyState& state : partition.node.states) {
            const auto known = std::ranges::find(predicted, state.ghz, &policy::Prediction::ghz);
            if (known == predicted.end())
                return in_.complain(fmt::format("application {} would take no time or no power on {} at {} GHz",
                                                now().number, partition.name, state.ghz));
            if (known->watts < partition.node.idle_watts)
                return in_.complain(
                    fmt::format("application {} would take {:.1f} W on {} at {} GHz, less than the {} W "
                                "of an idle node",
                                now().number, known->watts, partition.name, state.ghz, partition.node.idle_watts));
        }
    }

    void read_form(std::string_view form, policy::Signature& signature) {
        if (form == "slope") {
            signature.slope = in_.number("seconds per 0.1 GHz", 0, kMaxSeconds);
        } else if (form == "cpi") {
            signature.cpi = in_.number("cycles per instruction", 1e-9, kMaxCoefficient);
            signature.tpi = value_of("tpi", "transactions per instruction", 0, kMaxCoefficient);
        } else {
            in_.complain(fmt::format("{} where cpi or slope should be", swf::quoted(form)));
        }
    }

    double value_of(std::string_view key, const char* wanted, double min, double max) {
        const std::string_view word = in_.word(wanted);
        if (word != key) in_.complain(fmt::format("{} where `{}` should be", swf::quoted(word), key));
        return in_.number(wanted, min, max);
    }

    void leave_out(const std::string& name) {
        if (std::ranges::find(table_.elsewhere, name) == table_.elsewhere.end()) table_.elsewhere.push_back(name);
    }

    PlainText in_;
    const std::vector<PartitionFile>& machine_;
    ApplicationTable table_;
};

template <class Result>
tl::expected<Result, std::string> named(tl::expected<Result, std::string> result, const std::string& name) {
    if (result) return result;
    return tl::unexpected(fmt::format("drom-sim: read {}: {}", name, result.error()));
}

}  // namespace

tl::expected<std::vector<PartitionFile>, std::string> read_machine_text(std::string_view text,
                                                                        const std::string& name) {
    return named(MachineReader(text).read(), name);
}

tl::expected<ApplicationTable, std::string> read_application_text(std::string_view text, const std::string& name,
                                                                  const std::vector<PartitionFile>& machine) {
    return named(ApplicationReader(text, machine).read(), name);
}

tl::expected<std::vector<PartitionFile>, std::string> read_machine_file(const std::string& path) {
    const auto text = swf::read_text(path, "a machine file");
    return text ? read_machine_text(*text, path)
                : named<std::vector<PartitionFile>>(tl::unexpected(text.error()), path);
}

tl::expected<ApplicationTable, std::string> read_application_file(const std::string& path,
                                                                  const std::vector<PartitionFile>& machine) {
    const auto text = swf::read_text(path, "an application table");
    return text ? read_application_text(*text, path, machine)
                : named<ApplicationTable>(tl::unexpected(text.error()), path);
}

}  // namespace drom::sim
