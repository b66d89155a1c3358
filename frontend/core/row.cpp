// SPDX-License-Identifier: BSD-3-Clause
#include "core/row.hpp"
#include "core/call.hpp"
#include "wick/options.hpp"
#include <algorithm>
#include <cstdlib>

namespace wick {

namespace {
/// A default as a schema writes it.
std::string schema_default(std::string_view value, const std::string &type) {
    bool list = type.find('[') != std::string::npos;
    if (value == "{}") return list ? "[]" : "None";
    if (value == "DType::none") return "None";
    if (value == "true") return "True";
    if (value == "false") return "False";
    std::string text(value);
    if (value.front() == 'k') {
        std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
        return text.substr(1);
    }
    if (value.front() == '"') std::ranges::replace(text, '"', '\'');
    if (value.front() == '{') text.front() = '[', text.back() = ']';
    return type == "float" ? literal(std::strtod(text.c_str(), nullptr)) : text;
}

std::string schema_parameter(const detail::Parameter &p, const ParameterType &t) {
    std::string type = t.type();
    bool none = (p.value == "{}" && type.find('[') == std::string::npos) || p.value == "DType::none";
    if (t.changed) type += "(a!)";
    if (p.view) type += "(a)";
    if ((none || p.optional) && !type.ends_with("?")) type += "?";
    std::string text = (p.keyword ? "*, " : "") + type + " " + std::string(p.name);
    return p.value.empty() ? text : text + "=" + schema_default(p.value, type);
}
} // namespace

std::string schema_text(const OpRow &row) {
    std::string text = row.name, result = row.signature->result();
    if (*row.variant) text.append(".").append(row.variant);
    text += "(";
    std::string_view rest = detail::inside(row.parameters);
    for (size_t i = 0; i < row.signature->count; i++) {
        detail::Parameter p = detail::next_parameter(rest);
        if (i) text += ", ";
        text += schema_parameter(p, row.signature->parameters[i]);
        if (p.view && result == "Tensor") result = "Tensor(a)";
    }
    return text + ") -> " + result;
}

} // namespace wick
