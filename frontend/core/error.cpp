// SPDX-License-Identifier: BSD-3-Clause
#include "wick/error.hpp"

namespace wick {

Error::Error(THStatus status, std::string message) : Error(status, TH_status_kind(status), std::move(message)) {}

Error::Error(THStatus status, std::string kind, std::string message)
    : status_(status), kind_(std::move(kind)), message_(std::move(message)) {}

void throw_status(THStatus status) { throw Error(status, TH_error_message()); }

} // namespace wick
