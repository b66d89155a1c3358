// SPDX-License-Identifier: BSD-3-Clause
#include "support/files.hpp"
#include "wick/data.hpp"
#include "wick/ops.hpp"
#include <cmath>

using namespace wick;

namespace {
class Csv : public testing::Test {
  protected:
    data::Csv read(const std::string &text, data::CsvOptions options = {}) {
        return data::read_csv(folder_.put("a.csv", text), options);
    }
    void expect(const std::string &text, Sizes sizes, const std::vector<double> &values,
                data::CsvOptions options = {}) {
        SCOPED_TRACE(text);
        Tensor t = read(text, options).values;
        ASSERT_EQ(t.dtype(), kFLOAT64);
        ASSERT_EQ(std::vector(t.sizes().begin(), t.sizes().end()), std::vector(sizes.begin(), sizes.end()));
        for (size_t i = 0; i < values.size(); i++) EXPECT_EQ(t.data<double>()[i], values[i]) << i;
    }
    template <class... S> void rejects(const std::string &text, const S &...parts) {
        SCOPED_TRACE(text);
        test::expect_error(
            TH_E_IO, [&] { read(text); }, "read_csv: ", folder_ / "a.csv", parts...);
    }
    test::Folder folder_;
};
} // namespace

TEST_F(Csv, LinesAndNumbers) {
    expect("1,2,3\n4,5,6\n", {2, 3}, {1, 2, 3, 4, 5, 6});
    expect("1,2\r\n3,4\r\n", {2, 2}, {1, 2, 3, 4});
    expect("1,2\n3,4", {2, 2}, {1, 2, 3, 4});
    expect("1,2\r\n3,4\r", {2, 2}, {1, 2, 3, 4});
    expect("\n1\n\n\r\n2\n\n", {2, 1}, {1, 2});
    expect("\xEF\xBB\xBF"
           "1,2\n",
           {1, 2}, {1, 2});
    expect("-1.5e3,+2,.5,1e-320,9007199254740993\n", {1, 5}, {-1500, 2, 0.5, 1e-320, 9007199254740992.0});
    expect("inf,-inf\n", {1, 2}, {INFINITY, -INFINITY});
    EXPECT_TRUE(std::isnan(read("nan\n").values.item<double>()));
    expect(" 1 ,\t2 \n", {1, 2}, {1, 2});
}

TEST_F(Csv, DelimitersAndQuotes) {
    expect("1;2\n3;4\n", {2, 2}, {1, 2, 3, 4}, {.delimiter = ';'});
    expect("1\t2\n", {1, 2}, {1, 2}, {.delimiter = '\t'});
    expect("1 2\n", {1, 2}, {1, 2}, {.delimiter = ' '});
    expect("\"1\",\"2.5\" , \"3\"\r\n", {1, 3}, {1, 2.5, 3});
    test::expect_error(
        TH_E_ARG, [&] { read("1\n", {.delimiter = '"'}); }, "delimiter");
    test::expect_error(
        TH_E_ARG, [&] { read("1\n", {.delimiter = '\n'}); }, "delimiter");
}

TEST_F(Csv, Header) {
    data::Csv csv = read("a, \"b \"\"x\"\",\ny\" ,\n1,2,3\n", {.header = true});
    EXPECT_EQ(csv.columns, (std::vector<std::string>{"a", "b \"x\",\ny", ""}));
    EXPECT_EQ(csv.values.describe(), "float64[1, 3]");
    EXPECT_EQ(read("a,b", {.header = true}).values.describe(), "float64[0, 2]");
    EXPECT_TRUE(read("1,2\n").columns.empty());
    // The line of a fault counts the line end inside the quotes.
    test::expect_error(
        TH_E_IO, [&] { read("\"a\nb\",c\n1,2\n1,x\n", {.header = true}); }, "line 4: field 2");
    test::expect_error(
        TH_E_IO, [&] { read("a,b\n1\n", {.header = true}); }, "line 2: got 1 fields, want 2");
}

TEST_F(Csv, Nothing) {
    EXPECT_EQ(read("").values.describe(), "float64[0, 0]");
    EXPECT_EQ(read("\n\r\n").values.describe(), "float64[0, 0]");
    EXPECT_EQ(read("", {.header = true}).values.describe(), "float64[0, 0]");
}

TEST_F(Csv, Faults) {
    rejects("1,2\n3\n", "line 2: got 1 fields, want 2");
    rejects("1\n\n2,3\n", "line 3: got 2 fields, want 1");
    rejects("1,2\n3,4,\n", "line 2: field 3: got ''");
    rejects("1,x\n", "line 1: field 2: got 'x', want a number");
    rejects("1,2x\n", "got '2x'");
    rejects("1,0x10\n", "got '0x10'");
    rejects("1,,2\n", "line 1: field 2: got ''");
    rejects("1 2\n", "got '1 2'");
    rejects("+-1\n", "got '+-1'");
    rejects("1\r2\n", "line 1");
    rejects("1e999\n", "got '1e999', want a number that float64 holds");
    rejects("\"1\n", "line 1: got no closing quote");
    rejects("\"1\"2,3\n", "after a closing quote");
    rejects(std::string("1\0,2\n", 5), "line 1: field 1");
    rejects(std::string(100'000, 'a'), "line 1: field 1: got '" + std::string(40, 'a') + "'");
}

TEST_F(Csv, DigitsHaveTheirSums) {
    data::Csv csv = data::read_csv(DIGITS);
    ASSERT_EQ(csv.values.describe(), "float64[1797, 65]");
    EXPECT_EQ(csv.values.sum().item<double>(), 569788); // by awk
    Tensor labels = csv.values.select(1, 64);
    for (int d = 0; d < 10; d++) EXPECT_GE((labels == d).sum().item<int>(), 174) << d;
}

TEST(CsvColumns, TextColumnsBecomeNumbersOfTheirLabels) {
    test::Folder folder;
    std::string path = folder.put("iris.csv", "5.1,setosa,\"a, b\"\n4.9,virginica,x\n\n6,setosa, x\n7,oak,\"\"\n");
    data::Csv csv = data::read_csv(path, {.text = {1, 2}});
    EXPECT_EQ(csv.values.to_string(), "[[5.1, 1, 1],\n [4.9, 2, 2],\n [6, 1, 2],\n [7, 0, 0]] float64[4, 3]");
    ASSERT_EQ(csv.labels.size(), 2u);
    EXPECT_EQ(csv.labels[0], (std::vector<std::string>{"oak", "setosa", "virginica"}));
    EXPECT_EQ(csv.labels[1], (std::vector<std::string>{"", "a, b", "x"}));
    csv = data::read_csv(path, {.missing = true, .text = {2, 1}});
    EXPECT_EQ(csv.labels[0], (std::vector<std::string>{"a, b", "x"})); // in the order that was asked for
    EXPECT_EQ(csv.values[3].to_string(), "[7, 0, nan] float64[3]");
    test::expect_error(
        TH_E_IO, [&] { data::read_csv(path, {.text = {2}}); }, "line 1: field 2: got 'setosa'");
    test::expect_error(
        TH_E_ARG,
        [&] {
            data::read_csv(path, {.text = {1, 2, 3}});
        },
        "text column 3, want one below 3");
    test::expect_error(
        TH_E_ARG,
        [&] {
            data::read_csv(path, {.text = {1, 1}});
        },
        "each once");
    test::expect_error(
        TH_E_ARG, [&] { data::read_csv(path, {.text = {-1}}); }, "text column -1");
}

TEST(CsvColumns, MissingFieldsAreNaNOnRequest) {
    test::Folder folder;
    std::string path = folder.put("gaps.csv", "a,b,c\n1,,NA\n,N/A,3\nnull,None,\"\"\n-nan,nan,0\n");
    EXPECT_EQ(data::read_csv(path, {.header = true, .missing = true}).values.to_string(),
              "[[1, nan, nan],\n [nan, nan, 3],\n [nan, nan, nan],\n [nan, nan, 0]] float64[4, 3]");
    test::expect_error(
        TH_E_IO, [&] { data::read_csv(path, {.header = true}); }, "line 2: field 2: got ''");
    path = folder.put("more.csv", "1,na\n");
    test::expect_error(
        TH_E_IO, [&] { data::read_csv(path, {.missing = true}); }, "field 2: got 'na'");
}
