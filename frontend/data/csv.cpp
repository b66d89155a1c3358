// SPDX-License-Identifier: BSD-3-Clause
#include "io/file.hpp"
#include "wick/data.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace wick::data {

namespace {
// Walks over the fields of a text.
class Scanner {
  public:
    Scanner(const io::FileRef &ref, std::string_view text, char delimiter)
        : ref_(ref), p_(text.data()), end_(text.data() + text.size()), delimiter_(delimiter) {
        if (text.starts_with("\xEF\xBB\xBF")) p_ += 3; // the byte order mark that some spreadsheets write
    }

    int64_t line() const noexcept { return line_; }
    /// To the next line that is not empty; false at the end.
    bool start_line() {
        for (; p_ != end_; p_++) {
            if (*p_ == '\n')
                line_++;
            else if (*p_ != '\r')
                return true;
        }
        return false;
    }
    /// The field here, without spaces around it and without quotes. Sets `last` if the line ends after it; the end of
    /// the line is passed.
    std::string_view field(bool &last) {
        skip_blanks();
        std::string_view out = p_ != end_ && *p_ == '"' ? quoted() : plain();
        skip_blanks();
        if (p_ != end_ && *p_ == '\r' && (p_ + 1 == end_ || p_[1] == '\n')) p_++;
        last = p_ == end_ || *p_ == '\n';
        if (!last && *p_ != delimiter_) throw error("got text after a closing quote, want a delimiter");
        if (p_ != end_) p_++;
        return out;
    }
    /// To be called after a line's last field.
    void end_line() noexcept { line_++; }
    Error error(const std::string &what) const { return ref_.error("line " + std::to_string(line_) + ": " + what); }

  private:
    void skip_blanks() noexcept {
        while (p_ != end_ && (*p_ == ' ' || *p_ == '\t') && *p_ != delimiter_) p_++;
    }
    std::string_view plain() noexcept {
        const char *begin = p_;
        while (p_ != end_ && *p_ != delimiter_ && *p_ != '\n' && *p_ != '\r') p_++;
        const char *stop = p_;
        while (stop != begin && (stop[-1] == ' ' || stop[-1] == '\t')) stop--;
        return {begin, stop};
    }
    // A quote inside is doubled; delimiters and line ends inside are text.
    std::string_view quoted() {
        int64_t lines = 0;
        unquoted_.clear();
        for (p_++;; p_++) {
            if (p_ == end_) throw error("got no closing quote, want one");
            if (*p_ == '"' && (++p_ == end_ || *p_ != '"')) break;
            lines += *p_ == '\n';
            unquoted_ += *p_;
        }
        line_ += lines;
        return unquoted_;
    }

    const io::FileRef &ref_;
    const char *p_, *end_;
    const char delimiter_;
    int64_t line_ = 1;
    std::string unquoted_;
};

double parse_number(const Scanner &scanner, std::string_view field, int64_t column) {
    const char *begin = field.data(), *end = begin + field.size();
    if (field.size() > 1 && *begin == '+' && begin[1] != '-') begin++; // from_chars knows no plus
    double v = 0;
    auto [stop, code] = std::from_chars(begin, end, v);
    if (code == std::errc() && stop == end) return v;
    const char *why =
        code == std::errc::result_out_of_range ? "', want a number that float64 holds" : "', want a number";
    throw scanner.error("field " + std::to_string(column) + ": got '" + std::string(field.substr(0, 40)) + why);
}

std::vector<std::string> read_columns(Scanner &scanner) {
    std::vector<std::string> columns;
    for (bool last = !scanner.start_line(); !last;) columns.emplace_back(scanner.field(last));
    scanner.end_line();
    return columns;
}

bool is_missing(std::string_view field) {
    static constexpr std::string_view NAMES[] = {"", "NA", "N/A", "null", "None"};
    return std::ranges::find(NAMES, field) != std::end(NAMES);
}

// The numbers of a text column's labels: in the order of appearance at first.
using Labels = std::unordered_map<std::string, size_t>;

// Labels in order, and which number each had before.
std::vector<std::string> sorted(const Labels &labels, std::vector<size_t> &number) {
    std::vector<std::string> out;
    for (const auto &[label, k] : labels) out.push_back(label);
    std::ranges::sort(out);
    number.resize(out.size());
    for (size_t k = 0; k < out.size(); k++) number[labels.at(out[k])] = k;
    return out;
}

class Reader {
  public:
    Reader(Scanner &scanner, const CsvOptions &options) : scanner_(scanner), options_(options) {}

    /// Numbers of all lines one after another; `columns` is 0 if the first line is to say how many there are.
    std::vector<double> read(int64_t &columns) {
        std::vector<double> values;
        while (scanner_.start_line()) {
            int64_t count = 0;
            for (bool last = false; !last;) {
                std::string_view field = scanner_.field(last);
                values.push_back(value(field, count++));
            }
            if (columns == 0) columns = count;
            if (count != columns)
                throw scanner_.error("got " + std::to_string(count) + " fields, want " + std::to_string(columns) +
                                     " as in the first line");
            scanner_.end_line();
        }
        return values;
    }

    /// Sorts the labels and renumbers them.
    std::vector<std::vector<std::string>> finish(std::vector<double> &values, int64_t columns) {
        std::vector<std::vector<std::string>> out;
        for (int64_t column : options_.text) {
            std::vector<size_t> number;
            out.push_back(sorted(labels_[column], number));
            for (size_t i = static_cast<size_t>(column); i < values.size(); i += static_cast<size_t>(columns))
                if (!std::isnan(values[i])) values[i] = static_cast<double>(number[static_cast<size_t>(values[i])]);
        }
        return out;
    }

  private:
    double value(std::string_view field, int64_t column) {
        if (options_.missing && is_missing(field)) return std::nan("");
        if (std::ranges::find(options_.text, column) == options_.text.end())
            return parse_number(scanner_, field, column + 1);
        Labels &labels = labels_[column];
        return static_cast<double>(labels.try_emplace(std::string(field), labels.size()).first->second);
    }

    Scanner &scanner_;
    const CsvOptions &options_;
    std::unordered_map<int64_t, Labels> labels_;
};

void check_options(const io::FileRef &ref, const CsvOptions &options) {
    if (std::string_view("\"\r\n").find(options.delimiter) != std::string_view::npos)
        throw ref.error("got a quote or line end as delimiter", TH_E_ARG);
    for (auto column = options.text.begin(); column != options.text.end(); ++column)
        if (*column < 0 || std::find(options.text.begin(), column, *column) != column)
            throw ref.error("got text column " + std::to_string(*column) + ", want columns from 0 on, each once",
                            TH_E_ARG);
}
} // namespace

Csv read_csv(const std::string &path, CsvOptions options) {
    io::GzipFile file({"read_csv", path});
    check_options(file.ref(), options);
    std::string text = file.read_all();
    Scanner scanner(file.ref(), text, options.delimiter);
    Csv out;
    if (options.header) out.columns = read_columns(scanner);
    auto columns = static_cast<int64_t>(out.columns.size());
    Reader reader(scanner, options);
    auto values = std::make_shared<std::vector<double>>(reader.read(columns));
    for (int64_t column : options.text)
        if (column >= columns)
            throw file.ref().error("got text column " + std::to_string(column) + ", want one below " +
                                       std::to_string(columns) + ", as the file has",
                                   TH_E_ARG);
    out.labels = reader.finish(*values, columns);
    int64_t rows = columns == 0 ? 0 : static_cast<int64_t>(values->size()) / columns;
    out.values = from_blob(values->data(), {rows, columns}, kFLOAT64, [values] {});
    return out;
}

} // namespace wick::data
