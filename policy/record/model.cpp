// SPDX-License-Identifier: BSD-3-Clause
// model.cpp - an energy model as words, and back.
#include "policy/record/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "policy/sharing/words.hpp"

namespace drom::policy::record {
namespace {

using namespace words;
using Added = tl::expected<void, std::string>;

constexpr int kMaxNodes = (1 << 24) - 1;

// ---- writing

std::string line_of(const NodeModel& node) {
    Words words("energy");
    words.add("nodes", node.nodes)
        .add("nominal", static_cast<Seconds>(node.nominal))
        .add_number("idle", node.idle_watts)
        .add("curve", text_in(kYesOrNo, node.curve.has_value()));
    if (node.curve) words.add_number("fixed", node.curve->fixed).add_number("exponent", node.curve->exponent);
    return words.take();
}

std::string line_of(const FrequencyState& state) {
    const Coefficients& from = state.from_nominal;
    return Words("state")
        .add_number("ghz", state.ghz)
        .add_number("a", from.a)
        .add_number("b", from.b)
        .add_number("c", from.c)
        .add_number("d", from.d)
        .add_number("e", from.e)
        .add_number("f", from.f)
        .take();
}

std::string line_of(const Signature& signature, std::size_t partition) {
    return Words("signature")
        .add("partition", static_cast<Seconds>(partition))
        .add_number("seconds", signature.seconds)
        .add_number("watts", signature.watts)
        .add_number("cpi", signature.cpi)
        .add_number("tpi", signature.tpi)
        .add_number("slope", signature.slope)
        .take();
}

void add_lines(std::vector<std::string>& lines, const Signatures& on) {
    for (std::size_t p = 0; p < on.size(); ++p)
        if (const std::optional<Signature>& signature = on[p]; signature) lines.push_back(line_of(*signature, p));
}

void add_lines(std::vector<std::string>& lines, const Application& application) {
    lines.push_back(Words("application").add("number", application.number).take());
    add_lines(lines, application.on);
    for (const LargerRuns& runs : application.larger) {
        lines.push_back(Words("larger").add("nodes", runs.nodes).take());
        add_lines(lines, runs.on);
    }
}

// ---- reading

/// Takes a number that is finite.
Reader& take(Reader& reader, std::string_view key, double& into) {
    return reader.take(key, [&into](std::string_view text) { return read(text, into) && std::isfinite(into); });
}

Added add_partition(EnergyModel& model, Reader& reader) {
    NodeModel node;
    PowerCurve curve;
    bool has_curve = false;
    reader.take_within("nodes", node.nodes, 0, kMaxNodes).take("nominal", node.nominal);
    take(reader, "idle", node.idle_watts).take("curve", has_curve);
    if (has_curve) {
        take(reader, "fixed", curve.fixed);
        take(reader, "exponent", curve.exponent);
        node.curve = curve;
    }
    auto read = reader.finish(std::move(node));
    if (!read) return tl::unexpected(read.error());
    model.partitions.push_back(std::move(*read));
    return {};
}

Added add_state(EnergyModel& model, Reader& reader) {
    FrequencyState state;
    Coefficients& from = state.from_nominal;
    take(reader, "ghz", state.ghz);
    take(reader, "a", from.a);
    take(reader, "b", from.b);
    take(reader, "c", from.c);
    take(reader, "d", from.d);
    take(reader, "e", from.e);
    take(reader, "f", from.f);
    if (model.partitions.empty()) reader.complain("is a frequency of no partition; a line energy comes before it");
    const auto read = reader.finish(state);
    if (!read) return tl::unexpected(read.error());
    model.partitions.back().states.push_back(*read);
    return {};
}

Added add_application(EnergyModel& model, Reader& reader) {
    Application application;
    reader.take("number", application.number);
    auto read = reader.finish(std::move(application));
    if (!read) return tl::unexpected(read.error());
    model.applications.push_back(std::move(*read));
    return {};
}

Added add_larger(EnergyModel& model, Reader& reader) {
    LargerRuns runs;
    reader.take_within("nodes", runs.nodes, 1, kMaxNodes);
    if (model.applications.empty()) reader.complain("is of no application; a line application comes before it");
    auto read = reader.finish(std::move(runs));
    if (!read) return tl::unexpected(read.error());
    model.applications.back().larger.push_back(std::move(*read));
    return {};
}

Added add_signature(EnergyModel& model, Reader& reader) {
    Signature signature;
    std::size_t partition = 0;
    reader.take("partition", partition);
    take(reader, "seconds", signature.seconds);
    take(reader, "watts", signature.watts);
    take(reader, "cpi", signature.cpi);
    take(reader, "tpi", signature.tpi);
    take(reader, "slope", signature.slope);
    if (model.applications.empty()) reader.complain("is of no application; a line application comes before it");
    if (partition >= model.partitions.size()) reader.complain("is of a partition that has no line energy");
    const auto read = reader.finish(signature);
    if (!read) return tl::unexpected(read.error());
    Application& application = model.applications.back();
    Signatures& on = application.larger.empty() ? application.on : application.larger.back().on;
    on.resize(std::max(on.size(), partition + 1));
    on[partition] = *read;
    return {};
}

struct LineName {
    std::string_view first;
    Added (*add)(EnergyModel&, Reader&);
};
constexpr LineName kLines[] = {{"energy", add_partition},
                               {"state", add_state},
                               {"application", add_application},
                               {"larger", add_larger},
                               {"signature", add_signature}};

const LineName* find_line(std::string_view line) {
    const auto found = std::ranges::find(kLines, line.substr(0, line.find(' ')), &LineName::first);
    return found == std::end(kLines) ? nullptr : &*found;
}

/// Returns true when each run time and power that the model predicts can be meant, and none is a million times another.
bool is_possible(const EnergyModel& model, const Signatures& on) {
    constexpr double kMaxRatio = 1e6;
    double min = std::numeric_limits<double>::infinity(), max = 0;
    for (std::size_t p = 0; p < on.size(); ++p) {
        const std::optional<Signature>& signature = on[p];
        if (!signature) continue;
        if (signature->seconds <= 0 || signature->watts <= 0) return false;
        for (const Prediction& at : predict(model.partitions[p], *signature)) {
            if (!std::isfinite(at.seconds) || !std::isfinite(at.watts)) return false;
            min = std::min(min, at.seconds);
            max = std::max(max, at.seconds);
        }
    }
    return max == 0 || max / min <= kMaxRatio;
}

bool is_possible(const EnergyModel& model, const Application& application) {
    return is_possible(model, application.on) &&
           std::ranges::all_of(application.larger,
                               [&model](const LargerRuns& runs) { return is_possible(model, runs.on); });
}

}  // namespace

std::vector<std::string> lines_of(const EnergyModel& model) {
    std::vector<std::string> lines;
    for (const NodeModel& node : model.partitions) {
        lines.push_back(line_of(node));
        for (const FrequencyState& state : node.states) lines.push_back(line_of(state));
    }
    for (const Application& application : model.applications) add_lines(lines, application);
    return lines;
}

bool is_of_model(std::string_view line) { return find_line(line) != nullptr; }

Added add_line(EnergyModel& model, std::string_view line) {
    const LineName* name = find_line(line);
    if (name == nullptr) return tl::unexpected<std::string>("is no line of an energy model");
    Reader reader(line);
    return name->add(model, reader);
}

std::string lack_of(const EnergyModel& model) {
    for (const NodeModel& node : model.partitions) {
        if (node.nominal >= node.states.size()) return "has a partition without a line state of its nominal frequency";
        double before = 0;
        for (const FrequencyState& state : node.states)
            if (state.ghz <= std::exchange(before, state.ghz)) return "has frequencies that do not ascend from above 0";
    }
    const bool possible = std::ranges::all_of(
        model.applications, [&model](const Application& application) { return is_possible(model, application); });
    return possible ? "" : "has an application with a time or a power that cannot be right";
}

}  // namespace drom::policy::record
