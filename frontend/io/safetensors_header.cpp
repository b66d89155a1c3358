// SPDX-License-Identifier: BSD-3-Clause
#include "io/safetensors_header.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace wick::io {

namespace {
using nlohmann::json;

constexpr struct {
    const char *name;
    THDtype dtype;
} DTYPES[] = {{"BOOL", TH_BOOL}, {"U8", TH_UINT8},    {"I8", TH_INT8},       {"I16", TH_INT16},   {"I32", TH_INT32},
              {"I64", TH_INT64}, {"F16", TH_FLOAT16}, {"BF16", TH_BFLOAT16}, {"F32", TH_FLOAT32}, {"F64", TH_FLOAT64}};

constexpr const char *METADATA_KEY = "__metadata__";

// Builds a Header while nlohmann's parser walks the text: no tree of a hostile file is ever kept, and nesting deeper
// than the format's ends the walk. A callback that returns false stops the parser; failure() then has the reason.
class HeaderReader final : public nlohmann::json_sax<json> {
  public:
    explicit HeaderReader(Header &out) : header_(out) {}
    const std::string &failure() const noexcept { return failure_; }
    THStatus status() const noexcept { return status_; }

    bool null() override { return unexpected("null"); }
    bool boolean(bool) override { return unexpected("a boolean"); }
    bool number_integer(number_integer_t v) override { return unexpected(std::to_string(v)); }
    bool number_float(number_float_t, const string_t &s) override { return unexpected(quote(s)); }
    bool binary(binary_t &) override { return unexpected("binary data"); }

    bool number_unsigned(number_unsigned_t v) override {
        if (where_ != Where::SHAPE && where_ != Where::OFFSETS) return unexpected(std::to_string(v));
        if (v > INT64_MAX) return unexpected(std::to_string(v));
        (where_ == Where::SHAPE ? entry().shape : offsets_).push_back(static_cast<int64_t>(v));
        if (entry().shape.size() > TH_MAX_DIM) return fail(about("a shape of more than 64 dimensions", "at most 64"));
        return offsets_.size() <= 2 || fail(about("more than two data_offsets", "two"));
    }

    bool string(string_t &text) override {
        if (where_ == Where::METADATA) {
            header_.metadata[key_] = text;
            return true;
        }
        if (where_ != Where::ENTRY || key_ != "dtype") return unexpected("a string");
        auto row = std::find_if(std::begin(DTYPES), std::end(DTYPES), [&](const auto &d) { return text == d.name; });
        if (row == std::end(DTYPES)) {
            status_ = TH_E_UNSUPPORTED;
            return fail(about("dtype " + quote(text), "one of BOOL, U8, I8, I16, I32, I64, F16, BF16, F32, F64"));
        }
        entry().dtype = row->dtype;
        return true;
    }

    bool start_object(size_t) override {
        if (where_ == Where::START) {
            where_ = Where::TOP;
        } else if (where_ == Where::TOP && key_ == METADATA_KEY) {
            where_ = Where::METADATA;
        } else if (where_ == Where::TOP) {
            header_.tensors.emplace_back().name = key_;
            offsets_.clear();
            where_ = Where::ENTRY;
        } else {
            return unexpected("an object");
        }
        if (where_ != Where::TOP) inner_keys_.clear();
        return true;
    }

    bool key(string_t &text) override {
        if (!(where_ == Where::TOP ? keys_ : inner_keys_).insert(text).second)
            return fail("got the key " + quote(text) + " twice, want it once");
        if (where_ == Where::ENTRY && text != "dtype" && text != "shape" && text != "data_offsets")
            return fail(about("the key " + quote(text), "dtype, shape and data_offsets"));
        key_ = text;
        return true;
    }

    bool end_object() override {
        if (where_ == Where::ENTRY) {
            if (inner_keys_.size() != 3) return fail(about("no dtype, shape or data_offsets", "all three"));
            if (offsets_.size() != 2) return fail(about(std::to_string(offsets_.size()) + " data_offsets", "two"));
            entry().begin = offsets_[0];
            entry().end = offsets_[1];
        }
        where_ = where_ == Where::TOP ? Where::DONE : Where::TOP;
        return true;
    }

    bool start_array(size_t) override {
        if (where_ != Where::ENTRY || key_ == "dtype") return unexpected("an array");
        where_ = key_ == "shape" ? Where::SHAPE : Where::OFFSETS;
        return true;
    }

    bool end_array() override {
        where_ = Where::ENTRY;
        return true;
    }

    bool parse_error(size_t position, const std::string &, const json::exception &) override {
        return fail("got bad JSON at byte " + std::to_string(position) + " of the header");
    }

  private:
    enum class Where { START, TOP, METADATA, ENTRY, SHAPE, OFFSETS, DONE };

    TensorEntry &entry() { return header_.tensors.back(); }
    bool fail(std::string text) {
        failure_ = std::move(text);
        return false;
    }
    std::string about(const std::string &got, const std::string &want) {
        return "tensor " + quote(entry().name) + ": got " + got + ", want " + want;
    }
    bool unexpected(const std::string &got) {
        switch (where_) {
        case Where::START:
        case Where::DONE: return fail("got " + got + ", want an object");
        case Where::TOP: return fail("got " + got + " for " + quote(key_) + ", want an object");
        case Where::METADATA: return fail("got " + got + " for " + quote(key_) + " in __metadata__, want a string");
        case Where::ENTRY: return fail(about(got + " for " + key_, key_ == "dtype" ? "a string" : "an array"));
        default: return fail(about(got + " in " + key_, "integers from 0 to 2^63 - 1"));
        }
    }

    Header &header_;
    Where where_ = Where::START;
    std::string key_, failure_;
    std::unordered_set<std::string> keys_, inner_keys_;
    std::vector<int64_t> offsets_;
    THStatus status_ = TH_E_IO;
};

// Bytes that a tensor takes, or -1 if TH has no room for its shape: sizes of 0 count as 1 there.
int64_t bytes_of(const TensorEntry &e) {
    int64_t bytes = TH_dtype_size(e.dtype);
    bool none = false;
    for (int64_t n : e.shape) {
        none = none || n == 0;
        if (__builtin_mul_overflow(bytes, std::max<int64_t>(n, 1), &bytes)) return -1;
    }
    return none ? 0 : bytes;
}

void check_layout(const FileRef &ref, const Header &header, int64_t data_bytes) {
    std::vector<const TensorEntry *> order;
    for (const TensorEntry &e : header.tensors) order.push_back(&e);
    std::sort(order.begin(), order.end(),
              [](auto *a, auto *b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
    int64_t covered = 0;
    for (const TensorEntry *e : order) {
        std::string got = "tensor " + quote(e->name) + ": got data_offsets [" + std::to_string(e->begin) + ", " +
                          std::to_string(e->end) + "], want ";
        if (e->begin != covered)
            throw ref.error(got + "them to begin at " + std::to_string(covered) + ", where the tensor before ends");
        if (e->end < e->begin || e->end > data_bytes)
            throw ref.error(got + "them ordered, within " + std::to_string(data_bytes) + " bytes of data");
        int64_t bytes = bytes_of(*e);
        if (e->end - e->begin != bytes)
            throw ref.error(got + (bytes < 0 ? "a shape of fewer elements"
                                             : std::to_string(bytes) + " bytes, as dtype and shape say"));
        covered = e->end;
    }
    if (covered != data_bytes)
        throw ref.error("got " + std::to_string(data_bytes) + " bytes of data, want " + std::to_string(covered) +
                        ", as the header says");
}
} // namespace

std::string quote(std::string_view text) {
    constexpr size_t MOST = 60;
    std::string out = "'";
    for (char c : text.substr(0, MOST)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    // A cut must not leave half a UTF-8 character.
    if (text.size() > MOST) {
        while (out.size() > 1 && (static_cast<unsigned char>(text[out.size() - 1]) & 0xC0) == 0x80) out.pop_back();
        out += "...";
    }
    return out + "'";
}

Header parse_header(const FileRef &ref, std::string_view text, int64_t data_bytes) {
    // nlohmann's lexer takes a zero byte for the end.
    if (size_t zero = text.find('\0'); zero != text.npos)
        throw ref.error("got bad JSON at byte " + std::to_string(zero + 1) + " of the header");
    Header header;
    HeaderReader reader(header);
    if (!json::sax_parse(text.begin(), text.end(), &reader)) throw ref.error(reader.failure(), reader.status());
    check_layout(ref, header, data_bytes);
    return header;
}

std::string format_header(const FileRef &ref, const Header &header) {
    auto text = [&](const std::string &s) {
        try {
            return json(s).dump();
        } catch (const json::exception &) {
            throw ref.error("got " + quote(s) + ", which is not UTF-8", TH_E_ARG);
        }
    };
    std::string out;
    if (!header.metadata.empty()) {
        for (const auto &[key, value] : header.metadata)
            out += (out.empty() ? "" : ",") + text(key) + ":" + text(value);
        out = text(METADATA_KEY) + ":{" + out + "}";
    }
    std::unordered_set<std::string_view> names{METADATA_KEY};
    for (const TensorEntry &e : header.tensors) {
        if (!names.insert(e.name).second)
            throw ref.error("got the name " + quote(e.name) + " twice or reserved, want unique names", TH_E_ARG);
        auto row =
            std::find_if(std::begin(DTYPES), std::end(DTYPES), [&](const auto &d) { return d.dtype == e.dtype; });
        std::string shape;
        for (int64_t n : e.shape) shape += (shape.empty() ? "" : ",") + std::to_string(n);
        out += (out.empty() ? "" : ",") + text(e.name) + ":{\"dtype\":\"" + row->name + "\",\"shape\":[" + shape +
               "],\"data_offsets\":[" + std::to_string(e.begin) + "," + std::to_string(e.end) + "]}";
    }
    return "{" + out + "}";
}

} // namespace wick::io
