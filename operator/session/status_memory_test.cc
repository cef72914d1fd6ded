#include "operator/session/status_memory.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::session {
namespace {

Time At(double second) {
  return Time(1'800'000'000, 0) + Duration{static_cast<std::int64_t>(second * 1e9)};
}

// Of as many entries as a mirror has.
TEST(StatusMemory, FitsIntoAStatus) {
  StatusMemory remembered{.writer = "w"};
  for (int i = 0; i < 64; ++i) {
    for (const int replicas : {1'000 - i, 2'000 + i}) {
      remembered.memory.recommendations.push_back({At(i), replicas});
    }
    remembered.memory.scale_ups.push_back({At(i), 1'000});
    remembered.memory.scale_downs.push_back({At(i), 1'000});
  }
  json::Writer out;
  out.Object([&] { EncodeStatusMemory(out, remembered); });
  EXPECT_LT(out.Take().size(), 20'000U);
}

TEST(StatusMemory, ComesBackAsItWas) {
  StatusMemory remembered{.writer = "ballast-0:/var/lib/ballast/ballast.db", .term = 7};
  remembered.memory.recommendations = {{At(50.123456789), 8}};
  remembered.memory.scale_ups = {{At(60.000000001), 3}};
  remembered.memory.scale_downs = {{At(79.5), 2}};
  remembered.memory.used_samples = {{"Resource/cpu", At(77)}};
  remembered.memory.no_value_since = At(12.5);
  remembered.memory.suspect_since = At(13.5);
  remembered.memory.target = "d1";
  json::Writer w;
  w.Object([&] {
    w.Object("status", [&] { w.Object("memory", [&] { EncodeStatusMemory(w, remembered); }); });
  });
  const auto again = DecodeStatusMemory(json::Parse(w.Take()).value());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->memory, remembered.memory);
  EXPECT_EQ(again->writer, remembered.writer);
  EXPECT_EQ(again->term, 7);

  EXPECT_EQ(DecodeStatusMemory(json::Parse("{}").value())->memory, engine::Memory());
  const auto damaged = DecodeStatusMemory(
      json::Parse(R"({"status":{"memory":{"scaleUps":[{"time":"today"}]}}})").value());
  ASSERT_FALSE(damaged.ok());
  EXPECT_THAT(damaged.error().message, testing::HasSubstr("status.memory.scaleUps[0].time"));
}

// During a rolling upgrade, and after a rollback, versions read what others wrote. Never change
// these texts: objects have them. The first version read `value` and `to`, `time` and `change`,
// `metric` and `timestamp`, required them all, and ignored what it did not know.
TEST(StatusMemory, IsTheSameForEarlierVersions) {
  const std::string lists =
      R"("recommendations":[{"value":8,"from":"2027-01-15T08:00:50Z","to":"2027-01-15T08:00:50Z"}],)"
      R"("scaleUps":[{"time":"2027-01-15T08:01:00Z","change":3}],"scaleDowns":[],)"
      R"("usedSamples":[{"metric":"Resource/cpu","timestamp":"2027-01-15T08:01:17Z"}])";
  StatusMemory present{.writer = "ballast-0:/db", .term = 7};
  present.memory.recommendations = {{At(50), 8}};
  present.memory.scale_ups = {{At(60), 3}};
  present.memory.used_samples = {{"Resource/cpu", At(77)}};
  const struct {
    const char* version;
    std::string text;
    std::string writer;
    std::int64_t term;
  } kCases[] = {
      {"the first", "{" + lists + "}", "", 0},
      {"with the writer", R"({"writer":"ballast-0:/db",)" + lists + "}", "ballast-0:/db", 0},
      {"with the term", R"({"writer":"ballast-0:/db","term":7,)" + lists + "}", "ballast-0:/db", 7},
      {"a later one", R"({"writer":"ballast-0:/db","term":7,"later":{"x":[1]},)" + lists + "}",
       "ballast-0:/db", 7},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.version);
    const auto read =
        DecodeStatusMemory(json::Parse(R"({"status":{"memory":)" + c.text + "}}").value());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->memory, present.memory);
    EXPECT_EQ(read->writer, c.writer);
    EXPECT_EQ(read->term, c.term);
  }
  json::Writer w;
  w.Object([&] { EncodeStatusMemory(w, present); });
  EXPECT_THAT(w.Take(), testing::HasSubstr(lists));
}

}  // namespace
}  // namespace ballast::session
