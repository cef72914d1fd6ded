#include "api/kubernetes/quantity.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "api/json/json.h"
#include "api/kubernetes/testing/testdata.h"

namespace ballast {
namespace {

TEST(Quantity, ParsesAndComputesAsUpstream) {
  for (const auto& row : ReadTable("quantity.tsv")) {
    const auto quantity = ParseQuantity(row[0]);
    if (row[1].starts_with('!')) {
      ASSERT_FALSE(quantity.ok()) << row[0];
      EXPECT_EQ("!" + quantity.error().message, row[1]) << row[0];
      continue;
    }
    ASSERT_TRUE(quantity.ok()) << row[0] << ": " << quantity.error().message;
    EXPECT_EQ(quantity->Print(), row[1]) << row[0];
    EXPECT_EQ(quantity->MilliValue(), std::stoll(row[2])) << row[0];
    EXPECT_EQ(quantity->Value(), std::stoll(row[3])) << row[0];
    const auto expected = std::bit_cast<double>(std::stoull(row[4], nullptr, 16));
    const double actual = quantity->ToDouble();
    EXPECT_TRUE(actual == expected || (actual != actual && expected != expected))
        << row[0] << ": " << actual << " instead of " << expected;
    EXPECT_EQ(quantity->Sign(), std::stoi(row[5])) << row[0];
  }
}

TEST(Quantity, PrintsMemoryForPeople) {
  const auto bytes = [](std::int64_t milli) {
    return Quantity::FromMilli(milli, Quantity::Format::kBinarySi).PrintShort();
  };
  EXPECT_EQ(bytes(171'481'497'600), "163Mi");
  EXPECT_EQ(bytes(std::int64_t{128} * 1024 * 1024 * 1000), "128Mi");
  EXPECT_EQ(bytes(std::int64_t{2} * 1024 * 1024 * 1024 * 1000), "2Gi");
  EXPECT_EQ(bytes(1'500'500), "1500");
  EXPECT_EQ(bytes(20'481'500), "20Ki");
  EXPECT_EQ(bytes(0), "0");
  EXPECT_EQ(bytes(-171'481'497'600), "-171481497600m");
  EXPECT_EQ(ParseQuantity("163000m")->PrintShort(), "163") << "what is not memory stays";
  EXPECT_EQ(ParseQuantity("33333m")->PrintShort(), "33333m");
}

TEST(Quantity, ComparesAsUpstream) {
  for (const auto& row : ReadTable("quantity_compare.tsv")) {
    const auto a = ParseQuantity(row[0]);
    const auto b = ParseQuantity(row[1]);
    ASSERT_TRUE(a.ok() && b.ok()) << row[0] << " and " << row[1];
    const int expected = std::stoi(row[2]);
    EXPECT_EQ(*a <=> *b, expected <=> 0) << row[0] << " and " << row[1];
    EXPECT_EQ(*b <=> *a, 0 <=> expected) << row[0] << " and " << row[1];
    EXPECT_EQ(*a == *b, expected == 0) << row[0] << " and " << row[1];
  }
}

TEST(Quantity, ComparesAcrossAnyDistance) {
  const auto quantity = [](const char* text) { return ParseQuantity(text).value(); };
  EXPECT_LT(quantity("1"), quantity("1e2000000000"));
  EXPECT_GT(quantity("1"), quantity("-1e2000000000"));
  EXPECT_GT(quantity("1"), quantity("0e2000000000"));
  EXPECT_LT(quantity("12345678901234567890123"), quantity("1e2000000000"));
  EXPECT_EQ(quantity("1000000000000000000000"), quantity("1e21"));
}

TEST(Quantity, AddsExactly) {
  const struct {
    const char* a;
    const char* b;
    const char* sum;
  } kCases[] = {
      {"1", "500m", "1500m"},
      {"1Gi", "512Mi", "1536Mi"},
      {"0", "1Ki", "1Ki"},
      {"100m", "-0.1", "0"},
      {"1n", "1", "1000000001n"},
      {"9223372036854775807", "1", "9223372036854775808"},
      {"12345678901234567890123", "1m", "12345678901234567890123001m"},
      {"1e1999999998", "1", "1e1999999998"},  // too long to be written out
  };
  for (const auto& c : kCases) {
    EXPECT_EQ((ParseQuantity(c.a).value() + ParseQuantity(c.b).value()).Print(), c.sum)
        << c.a << " + " << c.b;
  }
}

TEST(Quantity, PrintsAsUpstream) {
  using Format = Quantity::Format;
  for (const auto& row : ReadTable("quantity_print.tsv")) {
    const std::int64_t n = std::stoll(row[0]);
    std::size_t column = 1;
    for (const auto make : {Quantity::FromValue, Quantity::FromMilli}) {
      for (const Format format :
           {Format::kDecimalSi, Format::kBinarySi, Format::kDecimalExponent}) {
        EXPECT_EQ(make(n, format).Print(), row[column++]) << n;
      }
    }
  }
}

TEST(Quantity, RefusesWhatWouldTakeForEver) {
  for (const std::string& text :
       {std::string(2'000, '9'), std::string("1.0000000000000000000e1000000000")}) {
    EXPECT_FALSE(ParseQuantity(text).ok()) << text.substr(0, 40);
  }
  // 10^-(2^31): rounded up to the smallest number, as upstream does.
  EXPECT_EQ(ParseQuantity("1e-1000000000").value().Print(), "1e-9");
}

TEST(QuantityJson, ReadsTextAndNumbers) {
  const struct {
    const char* json;
    const char* printed;  // or the error
    bool ok = true;
  } kCases[] = {
      {R"("250m")", "250m"},
      {R"(" 2 ")", "2"},
      {"3", "3"},
      {"1.5", "1500m"},
      {"-7", "-7"},
      {"true", "q: expected a quantity like \"250m\"", false},
      {R"("")",
       "q: quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
       false},
      {R"("1x")",
       "q: quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
       false},
  };
  for (const auto& c : kCases) {
    const auto document = json::Parse(std::string(R"({"q":)") + c.json + "}");
    ASSERT_TRUE(document.ok()) << c.json;
    json::Decoder decoder(document.value());
    Quantity quantity;
    EXPECT_EQ(Read(decoder.root().Member("q"), quantity), c.ok) << c.json;
    EXPECT_EQ(c.ok ? quantity.Print() : decoder.status().error().message, c.printed) << c.json;
  }
}

}  // namespace
}  // namespace ballast
