// SPDX-License-Identifier: BSD-3-Clause
#include "wick/error.hpp"
#include <string_view>

namespace wick {

Error::Error(THStatus status, std::string message) : Error(status, TH_status_kind(status), std::move(message)) {}

Error::Error(THStatus status, std::string kind, std::string message)
    : status_(status), kind_(std::move(kind)), message_(std::move(message)) {}

void throw_status(THStatus status) {
    // The C libraries see an undefined tensor as NULL, and say "TH_add: a is NULL".
    constexpr std::string_view is_null = " is NULL";
    std::string_view text = TH_error_message();
    size_t name = text.rfind(": ");
    if (name == std::string_view::npos || !text.ends_with(is_null)) throw Error(status, std::string(text));
    std::string_view argument = text.substr(name + 2, text.size() - is_null.size() - name - 2);
    throw Error(status, std::string(text.substr(0, name + 2)) + "got an undefined tensor as " + std::string(argument) +
                            ", want a defined one");
}

} // namespace wick
