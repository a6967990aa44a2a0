// SPDX-License-Identifier: BSD-3-Clause
// backfill_rows.cpp - the options of backfill and of sharing after it, and their rows.
#include "policy/registry/backfill_rows.hpp"

#include <algorithm>
#include <utility>

#include "policy/molding/moldable.hpp"

namespace drom::policy {
namespace {

using Rules = BackfillPolicy;
using Limit = SlowdownRules::Limit;

Read set_base(Rules& rules, std::string_view text) {
    if (text != "slurm" && text != "easy") return tl::unexpected(std::string("is neither slurm nor easy"));
    BackfillRules before = std::exchange(rules.backfill, text == "easy" ? BackfillRules::easy() : BackfillRules{});
    rules.easy_base = text == "easy";
    rules.backfill.priority = std::move(before.priority);
    rules.backfill.bookings = std::move(before.bookings);
    rules.backfill.leave_lead = before.leave_lead;
    return {};
}

Read set_window(Rules& rules, std::string_view text) {
    Seconds minutes = 0;
    if (auto read = read_whole(minutes, text, 0, kMaxWhole / 60); !read) return read;
    rules.backfill.window = 60 * minutes;
    return {};
}

Read set_factors(Rules& rules, std::string_view text) {
    std::vector<double> factors;
    for (std::size_t from = 0; from <= text.size(); from = std::min(text.size(), text.find('/', from)) + 1) {
        const std::string_view item = text.substr(from, text.find('/', from) - from);
        if (const auto set = read_number(factors.emplace_back(), item, 0.0, 1.0); !set)
            return tl::unexpected("has '" + std::string(item) + "', which " + set.error());
    }
    rules.backfill.priority.partitions = std::move(factors);
    return {};
}

Read set_leave_lead(Rules& rules, std::string_view text) {
    if (text == "none") {
        rules.backfill.leave_lead = kNever;
        return {};
    }
    if (auto read = read_whole(rules.backfill.leave_lead, text, 0); !read)
        return tl::unexpected(read.error() + "; nor none");
    return {};
}

std::string leave_lead_text(const Rules& rules) {
    return rules.backfill.leave_lead >= kNever ? "none" : std::to_string(rules.backfill.leave_lead);
}

std::string factors_text(const Rules& rules) {
    std::string text;
    for (const double factor : rules.backfill.priority.partitions) text += (text.empty() ? "" : "/") + text_of(factor);
    return text.empty() ? "1" : text;
}

Read set_limit(Rules& rules, std::string_view text) {
    if (text == "inf" || text == "dynamic") {
        rules.sharing.limit = text == "inf" ? Limit::kInfinite : Limit::kDynamic;
        return {};
    }
    if (auto set = read_number(rules.sharing.max_slowdown, text, NamedLimit::kSlowdowns); !set)
        return tl::unexpected(set.error() + "; nor inf, nor dynamic");
    rules.sharing.limit = Limit::kNumber;
    return {};
}

std::string limit_text(const Rules& rules) {
    if (rules.sharing.limit == Limit::kNumber) return text_of(rules.sharing.max_slowdown);
    return rules.sharing.limit == Limit::kInfinite ? "inf" : "dynamic";
}

Read set_qos(Rules& rules, std::string_view text) {
    if (text != "any" && text != "strict") return tl::unexpected(std::string("is neither any nor strict"));
    rules.sharing.sharing.limits.strict = text == "strict";
    return {};
}

std::string qos_text(const Rules& rules) { return rules.sharing.sharing.limits.strict ? "strict" : "any"; }

constexpr const char* kKept[] = {"none", "first", "all"};

Read set_keep(Rules& rules, std::string_view text) {
    for (std::size_t i = 0; i < std::size(kKept); ++i) {
        if (text != kKept[i]) continue;
        rules.sharing.keep = static_cast<SlowdownRules::Keep>(i);
        return {};
    }
    return tl::unexpected(std::string("has to be none, first or all"));
}

std::string keep_text(const Rules& rules) { return kKept[static_cast<std::size_t>(rules.sharing.keep)]; }

constexpr const char* kUrgentBy[] = {"wait", "first", "share", "preempt", "share-first"};

Read set_urgent_by(Rules& rules, std::string_view text) {
    for (std::size_t i = 0; i < std::size(kUrgentBy); ++i) {
        if (text != kUrgentBy[i]) continue;
        rules.urgent_by = static_cast<UrgentBy>(i);
        return {};
    }
    return tl::unexpected(std::string("is none of wait, first, share, preempt and share-first"));
}

constexpr const char* kPredictors[] = {"request", "last2", "knn", "user2"};

Read read_predictor(PredictionRules::Kind& into, std::string_view text) {
    for (std::size_t i = 0; i < std::size(kPredictors); ++i) {
        if (text != kPredictors[i]) continue;
        into = static_cast<PredictionRules::Kind>(i);
        return {};
    }
    return tl::unexpected(std::string("is none of request, last2, knn and user2"));
}

std::string predictor_text(PredictionRules::Kind kind) { return kPredictors[static_cast<std::size_t>(kind)]; }

Read set_plan(Rules& rules, std::string_view text) {
    if (text != "request" && text != "prediction")
        return tl::unexpected(std::string("is neither request nor prediction"));
    rules.plan_as_predicted = text == "prediction";
    return {};
}

std::string plan_text(const Rules& rules) { return rules.plan_as_predicted ? "prediction" : "request"; }

Read set_correction(Rules& rules, std::string_view text) {
    if (text != "double" && text != "request") return tl::unexpected(std::string("is neither double nor request"));
    rules.prediction.correct_to_limit = text == "request";
    return {};
}

std::string correction_text(const Rules& rules) { return rules.prediction.correct_to_limit ? "request" : "double"; }

Read set_sharing_depth(Rules& rules, std::string_view text) {
    if (text == "backfill") {
        rules.sharing.depth = SlowdownRules::kAsBackfill;
        return {};
    }
    if (auto read = read_whole(rules.sharing.depth, text, 0); !read)
        return tl::unexpected(read.error() + "; nor backfill");
    return {};
}

std::string sharing_depth_text(const Rules& rules) {
    const int depth = rules.sharing.depth;
    return depth == SlowdownRules::kAsBackfill ? "backfill" : std::to_string(depth);
}

// clang-format off
constexpr Option<Rules> kBase[] = {
    {"base", "NAME", "static part of sd: slurm or easy (one reservation, every job); sets every bf_ option", set_base, [](const Rules& r) { return std::string(r.easy_base ? "easy" : "slurm"); }},
};

constexpr Option<Rules> kBackfill[] = {
    {"bf_max_job_test", "N", "waiting jobs looked at in a pass; 0: all",
     [](Rules& r, std::string_view v) { return read_whole(r.backfill.depth, v, 0); }, [](const Rules& r) { return std::to_string(r.backfill.depth); }},
    {"bf_interval", "SECONDS", "between passes; 0: a pass at every event",
     [](Rules& r, std::string_view v) { return read_whole(r.backfill.interval, v, 0); }, [](const Rules& r) { return std::to_string(r.backfill.interval); }},
    {"bf_window", "MINUTES", "no reservation further ahead; 0: no limit", set_window, [](const Rules& r) { return std::to_string(r.backfill.window / 60); }},
    {"bf_resolution", "SECONDS", "of the map of reservations",
     [](Rules& r, std::string_view v) { return read_whole(r.backfill.resolution, v, 1); }, [](const Rules& r) { return std::to_string(r.backfill.resolution); }},
    {"bf_reservations", "N", "most reservations in a pass; 0: no limit",
     [](Rules& r, std::string_view v) { return read_whole(r.backfill.reservations, v, 0); }, [](const Rules& r) { return std::to_string(r.backfill.reservations); }},
    {"main_scheduler", "yes|no", "at every event jobs start in order until one does not fit",
     [](Rules& r, std::string_view v) { return read_yes_or_no(r.backfill.main_scheduler, v); }, [](const Rules& r) { return text_of(r.backfill.main_scheduler); }},
    {"weight_age", "W", "priority: weight of the wait; 0: first come, first served",
     [](Rules& r, std::string_view v) { return read_number(r.backfill.priority.age, v, 0.0, 1e12); }, [](const Rules& r) { return text_of(r.backfill.priority.age); }},
    {"weight_size", "W", "priority: weight of the number of nodes",
     [](Rules& r, std::string_view v) { return read_number(r.backfill.priority.size, v, 0.0, 1e12); }, [](const Rules& r) { return text_of(r.backfill.priority.size); }},
    {"weight_partition", "W", "priority: weight of the partition's factor",
     [](Rules& r, std::string_view v) { return read_number(r.backfill.priority.partition, v, 0.0, 1e12); }, [](const Rules& r) { return text_of(r.backfill.priority.partition); }},
    {"partition_factors", "F/F...", "priority: 0 to 1 for each partition, in the order of their numbers or names in the log", set_factors, factors_text},
    {"favor_small", "yes|no", "weight_size is for small jobs",
     [](Rules& r, std::string_view v) { return read_yes_or_no(r.backfill.priority.favor_small, v); }, [](const Rules& r) { return text_of(r.backfill.priority.favor_small); }},
    {"max_age", "SECONDS", "wait beyond which priority does not grow",
     [](Rules& r, std::string_view v) { return read_whole(r.backfill.priority.max_age, v, 1); }, [](const Rules& r) { return std::to_string(r.backfill.priority.max_age); }},
};

constexpr Option<Rules> kBookings[] = {
    {"reserved", "FROM-TO:N/...", "no job has the N nodes with the highest numbers in that time, in seconds since the log's zero",
     [](Rules& r, std::string_view v) { return read_bookings(r.backfill.bookings, v); }, [](const Rules& r) { return text_of(r.backfill.bookings); }},
    {"leave_lead", "SECONDS", "malleable jobs use reserved nodes, and are taken off them this long before FROM; none: they do not use them", set_leave_lead, leave_lead_text},
};

constexpr Option<Rules> kLimits[] = {
    {"max_slowdown", "P", "no mate is slowed down to P or beyond: a number, inf, dynamic", set_limit, limit_text},
    {"partition_max_slowdown", "NAME:P/NAME:P...", "the same for mates of some partitions, by number or name: a number, inf",
     [](Rules& r, std::string_view v) { return read_limits(r.sharing.sharing.limits.partitions, v); }, [](const Rules& r) { return text_of(r.sharing.sharing.limits.partitions); }},
    {"qos_max_slowdown", "NAME:P/NAME:P...", "the same for mates of some QOS, which is the queue of the log; of both the smaller",
     [](Rules& r, std::string_view v) { return read_limits(r.sharing.sharing.limits.qos, v); }, [](const Rules& r) { return text_of(r.sharing.sharing.limits.qos); }},
    {"qos", "any|strict", "strict: no guest takes cores from a mate of a higher QOS", set_qos, qos_text},
    {"qos_order", "NAME/NAME...", "every QOS from the lowest to the highest, for strict",
     [](Rules& r, std::string_view v) { return read_names(r.sharing.sharing.limits.qos_order, v); }, [](const Rules& r) { return text_of(r.sharing.sharing.limits.qos_order); }},
};

/// Reads and prints names of partitions, QOS or accounts.
template <Admission MateLimits::*kOf, std::vector<std::string> Admission::*kList>
Read read_admission(Rules& rules, std::string_view text) {
    return read_names(rules.sharing.sharing.limits.*kOf.*kList, text);
}
template <Admission MateLimits::*kOf, std::vector<std::string> Admission::*kList>
std::string admission_text(const Rules& rules) {
    return text_of(rules.sharing.sharing.limits.*kOf.*kList);
}

template <Admission MateLimits::*kOf>
constexpr Option<Rules> only(const char* name, const char* text) {
    return {name, "NAME/NAME...", text, read_admission<kOf, &Admission::only>, admission_text<kOf, &Admission::only>};
}
template <Admission MateLimits::*kOf>
constexpr Option<Rules> none_of(const char* name, const char* text) {
    return {name, "NAME/NAME...", text, read_admission<kOf, &Admission::no>, admission_text<kOf, &Admission::no>};
}

constexpr Option<Rules> kAdmission[] = {
    only<&MateLimits::share_partitions>("only_partition", "jobs of no other partition share nodes"),
    none_of<&MateLimits::share_partitions>("not_partition", "jobs of these partitions share no nodes"),
    only<&MateLimits::share_qos>("only_qos", "jobs of no other QOS share nodes"),
    none_of<&MateLimits::share_qos>("not_qos", "jobs of these QOS share no nodes"),
    only<&MateLimits::share_accounts>("only_account", "jobs of no other account share nodes; of a controller's log only"),
    none_of<&MateLimits::share_accounts>("not_account", "jobs of these accounts share no nodes; of a controller's log only"),
    {"same", "any|user|account", "jobs share nodes with those of the same user, or of the same account, only",
     [](Rules& r, std::string_view v) { return read_same(r.sharing.sharing.limits.same, v); }, [](const Rules& r) { return std::string(text_of(r.sharing.sharing.limits.same)); }},
};

constexpr Option<Rules> kSharing[] = {
    {"sharing_factor", "F", "largest share of a job's cores on a node that is lent",
     [](Rules& r, std::string_view v) { return read_number(r.sharing.sharing.sharing_factor, v, SharingRules::kFactors); }, [](const Rules& r) { return text_of(r.sharing.sharing.sharing_factor); }},
    {"max_mates", "M", "most mates of a guest",
     [](Rules& r, std::string_view v) { return read_whole(r.sharing.sharing.max_mates, v, SharingRules::kMates); }, [](const Rules& r) { return std::to_string(r.sharing.sharing.max_mates); }},
    {"candidates", "NM", "running jobs looked at, those with the least slowdown; 0: all, exact",
     [](Rules& r, std::string_view v) { return read_whole(r.sharing.sharing.best_candidates, v, 0); }, [](const Rules& r) { return std::to_string(r.sharing.sharing.best_candidates); }},
    {"jobs_per_node", "N", "most jobs on a node",
     [](Rules& r, std::string_view v) { return read_whole(r.sharing.sharing.jobs_per_node, v, SharingRules::kJobsPerNode); }, [](const Rules& r) { return std::to_string(r.sharing.sharing.jobs_per_node); }},
    {"add_free_nodes", "yes|no", "free nodes may complete those of the mates",
     [](Rules& r, std::string_view v) { return read_yes_or_no(r.sharing.sharing.add_free_nodes, v); }, [](const Rules& r) { return text_of(r.sharing.sharing.add_free_nodes); }},
    {"parts", "yes|no", "a guest takes as many of a mate's nodes as it needs, of any number of mates",
     [](Rules& r, std::string_view v) { return read_yes_or_no(r.sharing.sharing.parts, v); }, [](const Rules& r) { return text_of(r.sharing.sharing.parts); }},
};

constexpr Option<Rules> kSharingWhen[] = {
    {"keep", "none|first|all", "reservations that no mate may delay: the first of a pass, or those of all jobs before the guest", set_keep, keep_text},
    {"sharing_depth", "N", "waiting jobs that may share; backfill: those that the backfill looks at; 0: all", set_sharing_depth, sharing_depth_text},
    {"sd_prediction", "NAME", "as prediction, but of jobs that share only: reservations go by requests",
     [](Rules& r, std::string_view v) { return read_predictor(r.sd_prediction, v); }, [](const Rules& r) { return predictor_text(r.sd_prediction); }},
    {"sd_plan", "request|prediction", "what sharing adds to limits: the worst case of requests, or of predictions, and more each time that one is outrun", set_plan, plan_text},
    {"gain", "G", "share only if the guest's slowdown falls by more than G times what its mates' rise; 0: always",
     [](Rules& r, std::string_view v) { return read_number(r.sharing.gain, v, SlowdownRules::kGains); }, [](const Rules& r) { return text_of(r.sharing.gain); }},
};

constexpr Option<Rules> kUrgent[] = {
    {"urgent_by", "NAME", "urgent jobs wait, as all others; first: in front of the queue; share: first, and beside running jobs; preempt: first, and in the place of running jobs; share-first: share, else preempt",
     set_urgent_by, [](const Rules& r) { return std::string(kUrgentBy[static_cast<std::size_t>(r.urgent_by)]); }},
    {"urgent_qos", "NAME/NAME...", "QOS of urgent jobs, which is the queue of the log",
     [](Rules& r, std::string_view v) { return read_names(r.sharing.sharing.limits.urgent, v); }, [](const Rules& r) { return text_of(r.sharing.sharing.limits.urgent); }},
};

constexpr Option<Rules> kMold[] = {
    {"mold_parallelism", "F", "average parallelism of Downey's curve of moldable jobs, in multiples of the cores that a job asks for",
     [](Rules& r, std::string_view v) { return read_number(r.mold.parallelism, v, 0.001, 1e6); }, [](const Rules& r) { return text_of(r.mold.parallelism); }},
    {"mold_sigma", "S", "its variance of parallelism",
     [](Rules& r, std::string_view v) { return read_number(r.mold.sigma, v, 0.0, 1e6); }, [](const Rules& r) { return text_of(r.mold.sigma); }},
    {"min_efficiency", "E", "no size with a smaller speedup per core, but for the one that a job asks for",
     [](Rules& r, std::string_view v) { return read_number(r.mold.min_efficiency, v, 0.0, 1.0); }, [](const Rules& r) { return text_of(r.mold.min_efficiency); }},
    {"mold_min", "F", "smallest size, in multiples of the nodes that a job asks for",
     [](Rules& r, std::string_view v) { return read_number(r.mold.min, v, 0.0, 1.0); }, [](const Rules& r) { return text_of(r.mold.min); }},
    {"mold_max", "F", "largest size, in the same unit",
     [](Rules& r, std::string_view v) { return read_number(r.mold.max, v, 1.0, 1e6); }, [](const Rules& r) { return text_of(r.mold.max); }},
    {"mold_reservations", "N", "jobs that nodes are reserved for in a pass, at the size with the least predicted end; 0: all",
     [](Rules& r, std::string_view v) { return read_whole(r.mold.reservations, v, 0); }, [](const Rules& r) { return std::to_string(r.mold.reservations); }},
};

constexpr Option<Rules> kPrediction[] = {
    {"prediction", "NAME", "run times to plan with: request; last2, the mean of the user's last two of the same class of sizes; user2, of any size; knn, of the 8 jobs most alike",
     [](Rules& r, std::string_view v) { return read_predictor(r.prediction.kind, v); }, [](const Rules& r) { return predictor_text(r.prediction.kind); }},
    {"correction", "double|request", "what becomes of a prediction that a job outruns: twice as much, or the request", set_correction, correction_text},
    {"safety", "Q", "share of the jobs that should end within their prediction, which is lengthened for it; 0: as it is",
     [](Rules& r, std::string_view v) { return read_number(r.prediction.safety, v, 0.0, 1.0); }, [](const Rules& r) { return text_of(r.prediction.safety); }},
};
// clang-format on

std::unique_ptr<Scheduler> make_easy(const Rules& rules) { return predicting(easy(), rules.prediction); }
std::unique_ptr<Scheduler> make_static(const Rules& rules) {
    return predicting(backfill(rules.backfill), rules.prediction);
}
std::unique_ptr<Scheduler> make_moldable(const Rules& rules) {
    return predicting(moldable(rules.mold), rules.prediction);
}
std::unique_ptr<Scheduler> make_sharing(const Rules& rules) {
    PredictionRules prediction = rules.prediction;
    if (prediction.kind == PredictionRules::Kind::kRequest) {
        prediction.kind = rules.sd_prediction;
        prediction.sharing_only = true;
        prediction.extend_as_predicted = rules.plan_as_predicted;
    }
    return predicting(backfill(rules.backfill, rules.sharing), prediction);
}

std::unique_ptr<Scheduler> make_urgent(const Rules& rules) {
    return predicting(urgent(rules.urgent_by, rules.sharing), rules.prediction);
}

BackfillPolicy urgent_rules() {
    BackfillPolicy rules;
    rules.sharing.limit = Limit::kInfinite;
    rules.sharing.sharing.limits.urgent = {std::string(kUrgentQos)};
    return rules;
}

BackfillPolicy sd_deep() {
    BackfillPolicy rules;
    rules.sharing.limit = Limit::kInfinite;
    rules.sharing.gain = 100;
    rules.sharing.keep = SlowdownRules::Keep::kAll;
    rules.sharing.depth = 0;
    rules.sharing.sharing.parts = true;
    rules.sharing.sharing.sharing_factor = 0.65;
    rules.sd_prediction = PredictionRules::Kind::kNearest;
    return rules;
}

BackfillPolicy sd_plus() {
    BackfillPolicy rules;
    rules.easy_base = true;
    rules.backfill = BackfillRules::easy();
    rules.sharing.limit = Limit::kInfinite;
    rules.sharing.gain = 1;
    rules.sharing.sharing.add_free_nodes = true;
    return rules;
}

bool has_mate_limits(const Policy& policy) {
    const bool names_qos = policy.find("qos_order") != nullptr || policy.find("urgent_qos") != nullptr;
    return names_qos && policy.row().defaults.type() == typeid(Rules);
}

}  // namespace

MateLimits* mate_limits(Policy& policy) {
    return has_mate_limits(policy) ? &policy.rules<Rules>().sharing.sharing.limits : nullptr;
}

const MateLimits* mate_limits(const Policy& policy) {
    return has_mate_limits(policy) ? &policy.rules<Rules>().sharing.sharing.limits : nullptr;
}

namespace {

std::string contradiction_in_plan(const Rules& rules) {
    using Kind = PredictionRules::Kind;
    if (!rules.plan_as_predicted) return {};
    if (rules.sd_prediction == Kind::kRequest || rules.prediction.kind != Kind::kRequest)
        return "sd_plan prediction is for jobs that share by predictions while others go by requests; give "
               "sd_prediction last2, knn or user2, and prediction request";
    if (rules.backfill.bookings.empty()) return {};
    return "sd_plan prediction does not go with reserved; a job that outruns its prediction would still be there";
}

}  // namespace

std::string contradiction_in_backfill(const Policy& policy) {
    constexpr int kMax = 3;
    if (policy.row().defaults.type() != typeid(Rules) || policy.find("jobs_per_node") == nullptr) return {};
    const auto& rules = policy.rules<Rules>();
    if (std::string why = contradiction_in_plan(rules); !why.empty()) return why;
    if (rules.backfill.bookings.empty() || rules.sharing.sharing.jobs_per_node <= kMax) return {};
    return "jobs_per_node " + std::to_string(rules.sharing.sharing.jobs_per_node) +
           " does not go with reserved; with more than " + std::to_string(kMax) +
           " jobs on a node, one that ends early can make another end later";
}

std::string unfit_bookings(const Policy& policy, int nodes) {
    if (policy.row().defaults.type() != typeid(Rules)) return {};
    const std::vector<Booking>& bookings = policy.rules<Rules>().backfill.bookings;
    const auto large = std::ranges::find_if(bookings, [&](const Booking& booking) { return booking.nodes > nodes; });
    if (large == bookings.end()) return {};
    return "reserved '" + text_of({*large}) + "' has " + std::to_string(large->nodes) + " nodes; the machine has " +
           std::to_string(nodes);
}

std::vector<PolicyRow> backfill_rows() {
    return {
        policy_row<Rules>(
            {"easy", "EASY backfill: one reservation, every waiting job is looked at, first come, first served",
             "D. Lifka, \"The ANL/IBM SP scheduling system\", 1995"},
            {kPrediction}, {}, make_easy),
        policy_row<Rules>({"slurm", "Slurm's backfill: reservations down to a depth, passes at an interval",
                           "slurm.conf(5) of 22.05, SchedulerParameters"},
                          {kBackfill, kBookings, kPrediction}, {}, make_static),
        policy_row<Rules>({"sd",
                           "the thesis's slowdown-driven policy: slurm, and a job that would wait too long shares "
                           "nodes of running jobs",
                           "thesis, section 4.5"},
                          {kBase, kBackfill, kBookings, kLimits, kAdmission, kSharing, kSharingWhen, kPrediction}, {},
                          make_sharing),
        policy_row<Rules>(
            {"sd+",
             "the same on EASY, only where the guest wins more slowdown than its mates lose, completed with free nodes",
             "this project; docs/user/simulator.md"},
            {kBookings, kLimits, kAdmission, kSharing, kSharingWhen, kPrediction}, sd_plus(), make_sharing),
        policy_row<Rules>({"sd-deep",
                           "sd for few malleable jobs: all that wait may share, parts of running ones, where they win "
                           "100 times what those lose",
                           "this project; docs/user/simulator.md"},
                          {kBase, kBackfill, kBookings, kLimits, kAdmission, kSharing, kSharingWhen, kPrediction},
                          sd_deep(), make_sharing),
        policy_row<Rules>({"moldable",
                           "EASY where a moldable job starts on the number of nodes with the least predicted end, "
                           "under a cap on wasted core-seconds",
                           "ReSHAPE, section 6.2; docs/user/simulator.md"},
                          {kMold, kPrediction}, {}, make_moldable),
        policy_row<Rules>({"urgent",
                           "EASY where urgent jobs come first: beside running jobs at any slowdown of those, else in "
                           "the place of the last that came",
                           "this project; docs/user/simulator.md"},
                          {kUrgent, kSharing, kPrediction}, urgent_rules(), make_urgent),
    };
}

}  // namespace drom::policy
