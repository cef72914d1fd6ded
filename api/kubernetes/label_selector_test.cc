#include "api/kubernetes/label_selector.h"

#include <gtest/gtest.h>

#include "api/json/json_writer.h"
#include "api/kubernetes/testing/testdata.h"

namespace ballast::api {
namespace {

TEST(LabelSelector, ConvertsAsUpstream) {
  for (const auto& row : ReadTable("label_selector.tsv")) {
    const auto document = json::Parse(row[0]);
    ASSERT_TRUE(document.ok()) << row[0];
    json::Decoder decoder(document.value());
    LabelSelector selector;
    Decode(decoder.root(), selector);
    ASSERT_TRUE(decoder.status().ok()) << row[0];
    EXPECT_EQ(GoString(selector), row[1]);

    json::Writer writer;
    Encode(writer, selector);
    const auto again = json::Parse(writer.Take());
    json::Decoder second(again.value());
    LabelSelector copy;
    Decode(second.root(), copy);
    EXPECT_EQ(GoString(copy), row[1]);

    const auto converted = ToSelector(selector);
    EXPECT_EQ(converted.ok() ? converted->Print() : "!" + converted.error().message, row[2])
        << row[0];
  }
}

}  // namespace
}  // namespace ballast::api
