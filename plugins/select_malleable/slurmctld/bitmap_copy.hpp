// SPDX-License-Identifier: GPL-2.0-or-later
// bitmap_copy.hpp - a copy of one of Slurm's bitmaps for as long as it lives.
#pragma once

#include "slurmctld.hpp"

namespace drom::slurm {

class BitmapCopy {
public:
    explicit BitmapCopy(const bitstr_t* bits) : own_(bit_copy(const_cast<bitstr_t*>(bits))) {}
    ~BitmapCopy() { bit_free(own_); }
    BitmapCopy(const BitmapCopy&) = delete;
    BitmapCopy& operator=(const BitmapCopy&) = delete;
    operator bitstr_t*() const { return own_; }

private:
    bitstr_t* own_;
};

}  // namespace drom::slurm
