// SPDX-License-Identifier: BSD-3-Clause
// placement_exact.hpp - the least cost of a placement, by GLPK.
#pragma once

#include <glpk.h>

#include <algorithm>

#include "policy/placement/placement.hpp"

namespace drom::test {

/// Columns and rows of the model, as GLPK wants them: counted from 1.
class ExactPlacement {
public:
    explicit ExactPlacement(const policy::placement::Problem& problem) : problem_(problem) {
        glp_term_out(GLP_OFF);
        glp_set_obj_dir(model_, GLP_MIN);
    }
    ExactPlacement(const ExactPlacement&) = delete;
    ExactPlacement& operator=(const ExactPlacement&) = delete;
    ~ExactPlacement() { glp_delete_prob(model_); }

    /// Returns the least cost of the applications that `plan` does not drop; negative when GLPK did not find it.
    double min_cost(const policy::placement::Plan& plan) {
        const int systems = static_cast<int>(problem_.systems.size());
        const int first = glp_add_rows(model_, systems);
        for (int s = 0; s < systems; ++s)
            glp_set_row_bnds(model_, first + s, GLP_UP, 0, problem_.systems[static_cast<std::size_t>(s)].cores);
        for (std::size_t a = 0; a < plan.size(); ++a)
            if (!plan[a].empty()) add(problem_.applications[a], first);
        // No dearer than `plan`: cuts the search short, and makes a plan cheaper than the least an error.
        const int most = row(GLP_UP, policy::placement::cost_of(problem_, plan) + 1e-6);
        for (int c = 1; c <= glp_get_num_cols(model_); ++c)
            if (glp_get_obj_coef(model_, c) > 0) entry(most, c, glp_get_obj_coef(model_, c));
        glp_load_matrix(model_, static_cast<int>(rows_.size()) - 1, rows_.data(), columns_.data(), values_.data());
        glp_iocp how;
        glp_init_iocp(&how);
        how.presolve = GLP_ON;
        how.mir_cuts = GLP_ON;
        how.cov_cuts = GLP_ON;
        how.br_tech = GLP_BR_PCH;
        if (glp_intopt(model_, &how) != 0 || glp_mip_status(model_) != GLP_OPT) return -1;
        return glp_mip_obj_val(model_);
    }

private:
    int column(double cost, int kind, double most) {
        const int number = glp_add_cols(model_, 1);
        glp_set_obj_coef(model_, number, cost);
        glp_set_col_kind(model_, number, kind);
        if (kind != GLP_BV) glp_set_col_bnds(model_, number, most > 0 ? GLP_DB : GLP_FX, 0, most);
        return number;
    }

    int row(int type, double bound) {
        const int number = glp_add_rows(model_, 1);
        glp_set_row_bnds(model_, number, type, bound, bound);
        return number;
    }

    void entry(int row, int column, double value) {
        rows_.push_back(row);
        columns_.push_back(column);
        values_.push_back(value);
    }

    void add(const policy::placement::Application& application, int first_system_row) {
        const int all = row(GLP_FX, application.ranks);
        for (int s = 0; s < static_cast<int>(problem_.systems.size()); ++s) {
            const policy::placement::System& system = problem_.systems[static_cast<std::size_t>(s)];
            const int most = std::min(system.cores, application.ranks);
            const int ranks = column(application.priority * system.cost, GLP_IV, most);
            const int used = column(application.priority * problem_.spread, GLP_BV, 1);
            const int arriving = column(application.priority * application.move, GLP_CV, application.ranks);
            entry(all, ranks, 1);
            entry(first_system_row + s, ranks, 1);
            const int most_row = row(GLP_UP, 0);  // ranks <= most * used
            entry(most_row, ranks, 1);
            entry(most_row, used, -most);
            int now = 0;
            for (const policy::placement::Part& part : application.now)
                if (part.system == s) now = part.ranks;
            const int arriving_row = row(GLP_UP, 0);  // ranks - arriving <= now * used
            entry(arriving_row, ranks, 1);
            entry(arriving_row, used, -std::min(now, most));
            entry(arriving_row, arriving, -1);
        }
    }

    const policy::placement::Problem& problem_;
    glp_prob* model_ = glp_create_prob();
    std::vector<int> rows_{0}, columns_{0};
    std::vector<double> values_{0};
};

}  // namespace drom::test
