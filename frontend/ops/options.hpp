// SPDX-License-Identifier: BSD-3-Clause
// Options that an op and the module of it read in the same way; `what` begins an error's text.
#ifndef WICK_OPS_OPTIONS_HPP
#define WICK_OPS_OPTIONS_HPP

#include "THNN/loss.h"
#include "core/call.hpp"

namespace wick {

inline int32_t read_reduction(const char *what, std::string_view text) {
    if (text == "none") return THNN_REDUCTION_NONE;
    if (text == "mean") return THNN_REDUCTION_MEAN;
    if (text == "sum") return THNN_REDUCTION_SUM;
    fail(TH_E_ARG, "%s: got reduction '%.*s', want 'none', 'mean' or 'sum'", what, static_cast<int>(text.size()),
         text.data());
}

/// Whether gelu is approximated, by tanh.
inline bool read_approximate(const char *what, std::string_view text) {
    if (text == "none") return false;
    if (text == "tanh") return true;
    fail(TH_E_ARG, "%s: got approximate '%.*s', want 'none' or 'tanh'", what, static_cast<int>(text.size()),
         text.data());
}

/// Of a probability or a part.
inline void check_part(const char *what, const char *option, double value) {
    if (!(value >= 0 && value <= 1)) fail(TH_E_ARG, "%s: got %s %g, want 0 to 1", what, option, value);
}

} // namespace wick
#endif
