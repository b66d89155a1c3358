// SPDX-License-Identifier: BSD-3-Clause
// Parses schemas, a subset of PyTorch's grammar:
//   schema   := name "(" [argument {"," argument}] ")" "->" results
//   argument := type name ["=" default] | "*"               (what follows "*" is keyword-only)
//   type     := base ["(" letter ["!"] ")"] ["[" [length] "]"] ["?"]
//   results  := type | "(" [type [name] {"," type [name]}] ")"
#include "core/call.hpp"
#include "wick/registry.hpp"
#include <algorithm>
#include <charconv>

namespace wick {

namespace {
using Type = Argument::Type;
constexpr std::pair<std::string_view, Type> BASES[] = {
    {"Tensor", Type::Tensor}, {"Scalar", Type::Scalar}, {"int", Type::Int},           {"float", Type::Float},
    {"bool", Type::Bool},     {"str", Type::Str},       {"dtype", Type::DType},       {"device", Type::Device},
    {"Module", Type::Module}, {"any", Type::Any},       {"Function", Type::Function},
};

class Parser {
    enum { LENGTH_MAX = 64 }; // of a list of a fixed length, which a single default fills

  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Schema schema() {
        Schema s;
        s.name = word(":.");
        expect("(");
        bool keyword_only = false;
        while (!accept(")")) {
            if (!s.arguments.empty() || keyword_only) expect(",");
            if (accept("*")) {
                keyword_only = true;
            } else {
                s.arguments.push_back(argument());
                s.arguments.back().keyword_only = keyword_only;
            }
        }
        expect("->");
        results(s);
        skip();
        if (at_ != text_.size()) wrong("the end");
        return s;
    }

  private:
    [[noreturn]] void wrong(const char *wanted) {
        fail(TH_E_ARG, "Schema::parse: got '%.*s' at column %zu, want %s", static_cast<int>(text_.size()), text_.data(),
             at_ + 1, wanted);
    }
    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') at_++;
    }
    bool accept(std::string_view token) {
        skip();
        if (text_.substr(at_, token.size()) != token) return false;
        at_ += token.size();
        return true;
    }
    void expect(const char *token) {
        if (!accept(token)) wrong(token);
    }
    std::string word(std::string_view also = "") {
        skip();
        size_t start = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                      also.find(text_[at_]) != std::string_view::npos))
            at_++;
        if (at_ == start) wrong("a name");
        return std::string(text_.substr(start, at_ - start));
    }

    void type(Argument &a) {
        skip();
        size_t start = at_;
        std::string base = word();
        const auto *found = std::ranges::find(BASES, base, [](const auto &b) { return b.first; });
        if (found == std::end(BASES)) {
            at_ = start;
            wrong("a type");
        }
        a.type = found->second;
        if (accept("(")) {
            word();
            accept("!");
            expect(")");
        }
        if (accept("[")) {
            a.list = true;
            if (!accept("]")) {
                a.length = number<int64_t>();
                if (a.length < 1 || a.length > LENGTH_MAX) wrong("a length of 1 to 64");
                expect("]");
            }
        }
        a.optional = accept("?");
        a.type_text = std::string(text_.substr(start, at_ - start));
        a.type_text.erase(a.type_text.find_last_not_of(' ') + 1); // accept() may have skipped some
    }

    template <class T> T number() {
        skip();
        T v{};
        auto [end, ec] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
        if (ec != std::errc()) wrong("a number");
        at_ = static_cast<size_t>(end - text_.data());
        return v;
    }

    Argument argument() {
        Argument a;
        type(a);
        a.name = word();
        if (accept("=")) {
            a.has_default = true;
            default_value(a);
        }
        return a;
    }

    void default_value(Argument &a) {
        Value &v = a.default_value;
        skip();
        if (accept("None")) {
            v = {};
        } else if (accept("True")) {
            v = {WICK_TAG_BOOL, 0, {.i = 1}};
        } else if (accept("False")) {
            v = {WICK_TAG_BOOL, 0, {.i = 0}};
        } else if (a.list) {
            list_default(a);
        } else if (accept("\"") || accept("'")) {
            size_t end = text_.find(text_[at_ - 1], at_);
            if (end == std::string_view::npos) wrong("a closing quote");
            a.text_storage.assign(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                  text_.begin() + static_cast<std::ptrdiff_t>(end));
            v = {WICK_TAG_STR, static_cast<uint32_t>(end - at_), {.s = a.text_storage.data()}};
            at_ = end + 1;
        } else if (a.type == Type::DType) {
            THDtype d;
            std::string name = word();
            if (TH_dtype_find(&d, name.c_str()) != TH_OK) wrong("a dtype");
            v = {WICK_TAG_DTYPE, 0, {.i = d}};
        } else {
            number_default(v, a.type == Type::Float);
        }
    }

    void number_default(Value &v, bool floating) {
        skip();
        size_t start = at_;
        double d = number<double>();
        bool integer = text_.substr(start, at_ - start).find_first_of(".eEni") == std::string_view::npos;
        if (floating || !integer) {
            v = {WICK_TAG_FLOAT, 0, {.f = d}};
            return;
        }
        at_ = start; // again, for all of its digits
        v = {WICK_TAG_INT, 0, {.i = number<int64_t>()}};
    }

    void list_default(Argument &a) {
        if (a.type == Type::Float) {
            uint32_t n = list_items(a.float_storage, a.length);
            a.default_value = {WICK_TAG_FLOATS, n, {.floats = a.float_storage.data()}};
        } else if (a.type == Type::Int) {
            uint32_t n = list_items(a.storage, a.length);
            a.default_value = {WICK_TAG_INTS, n, {.ints = a.storage.data()}};
        } else { // of other types only the empty list
            expect("[");
            expect("]");
            a.default_value = {WICK_TAG_VALUES, 0, {.values = nullptr}};
        }
    }

    template <class T> uint32_t list_items(std::vector<T> &items, int64_t length) {
        if (!accept("["))
            items.assign(length > 0 ? static_cast<size_t>(length) : 1, number<T>());
        else
            while (!accept("]")) {
                if (!items.empty()) expect(",");
                items.push_back(number<T>());
            }
        return static_cast<uint32_t>(items.size());
    }

    void results(Schema &s) {
        Argument a;
        if (!accept("(")) {
            type(a);
            s.results.push_back(a.type_text);
            return;
        }
        while (!accept(")")) {
            if (!s.results.empty()) expect(",");
            a = {};
            type(a);
            s.results.push_back(a.type_text);
            skip();
            if (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) word();
        }
    }

    std::string_view text_;
    size_t at_ = 0;
};
} // namespace

Schema Schema::parse(std::string_view text) { return Parser(text).schema(); }

} // namespace wick
