// SPDX-License-Identifier: BSD-3-Clause
#include "wick/options.hpp"
#include <charconv>

namespace wick {

std::string literal(bool v) { return v ? "True" : "False"; }
std::string literal(int64_t v) { return std::to_string(v); }
std::string literal(const std::string &v) { return "'" + v + "'"; }
std::string literal(const Tensor &v) { return v.defined() ? v.describe() : "None"; }

std::string literal(double v) {
    char buf[32];
    std::string text(buf, std::to_chars(buf, buf + sizeof(buf), v).ptr);
    // inf and nan have an n
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

namespace detail {

std::vector<std::string_view> split_names(std::string_view names) {
    std::vector<std::string_view> out;
    while (!names.empty()) {
        size_t end = names.find(',');
        out.push_back(names.substr(0, end));
        names.remove_prefix(end == std::string_view::npos ? names.size() : names.find_first_not_of(", ", end));
    }
    return out;
}

} // namespace detail
} // namespace wick
