#include "operator/controllers/status_memory.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Time At(double seconds) {
  return Time(1'800'000'000, 0) + Duration{static_cast<std::int64_t>(seconds * 1e9)};
}

// A scale-down window of 60 s and no scale-up window; rate periods of 30 s in both directions.
api::AutoscalerSpec Spec() {
  api::AutoscalerSpec spec;
  spec.behavior.emplace();
  spec.behavior->scale_up = {.stabilization_window_seconds = 0,
                             .policies = {{{.type = "Pods", .value = 4, .period_seconds = 30}}}};
  spec.behavior->scale_down = {.stabilization_window_seconds = 60,
                               .policies = {{{.type = "Pods", .value = 4, .period_seconds = 30}}}};
  return spec;
}

engine::Memory RememberedOf(const engine::Memory& memory, double now) {
  return MemoryForStatus(Spec(), {}, memory, At(now));
}

TEST(StatusMemory, HasWhatStillHoldsAndLimits) {
  engine::Memory memory;
  memory.recommendations = {{At(0), 9}, {At(50), 8}, {At(60), 5}, {At(70), 6}, {At(80), 4}};
  memory.scale_ups = {{At(10), 1}, {At(60), 3}};
  memory.scale_downs = {{At(79.5), 2}};
  memory.used_samples = {{"Resource/cpu", At(77)}};
  const engine::Memory remembered = RememberedOf(memory, 80);
  // 9 is older than the window, 6 exceeds 5, and 4 is the present recommendation.
  EXPECT_THAT(remembered.recommendations,
              ElementsAre(engine::Recommendation{At(50), 8}, engine::Recommendation{At(70), 6}));
  EXPECT_THAT(remembered.scale_ups, ElementsAre(engine::ScaleEvent{At(60), 3}));
  EXPECT_EQ(remembered.scale_downs, memory.scale_downs);
  EXPECT_EQ(remembered.used_samples, memory.used_samples);
}

TEST(StatusMemory, OfAQuietPolicyStaysTheSame) {
  engine::Memory memory;
  for (int i = 0; i < 10; ++i) {
    memory.recommendations.push_back({At(i * 15), 5});
    EXPECT_THAT(RememberedOf(memory, i * 15).recommendations, IsEmpty());
  }
}

// A count that falls, or grows, at each evaluation of a second: what is remembered has a bounded
// size, and holds at each later moment at least as much as all of it would.
TEST(StatusMemory, IsBoundedAndHoldsNoLess) {
  constexpr int kEvaluations = 1'000;
  api::AutoscalerSpec spec = Spec();
  spec.behavior->scale_up->stabilization_window_seconds = kEvaluations;
  spec.behavior->scale_down->stabilization_window_seconds = kEvaluations;
  spec.behavior->scale_up->policies->front().period_seconds = kEvaluations;
  spec.behavior->scale_down->policies->front().period_seconds = kEvaluations;
  for (const int step : {-1, 1}) {
    engine::Memory memory;
    for (int i = 0; i < kEvaluations; ++i) {
      memory.recommendations.push_back({At(i), 2'000 + step * i});
      (step > 0 ? memory.scale_ups : memory.scale_downs).push_back({At(i), 1});
    }
    const StatusMemory remembered{.memory = MemoryForStatus(spec, {}, memory, At(kEvaluations - 1)),
                                  .writer = "w"};
    json::Writer out;
    out.Object([&] { EncodeStatusMemory(out, remembered); });
    EXPECT_LT(out.Take().size(), 20'000U);
    for (int from = 0; from < kEvaluations - 1; from += 7) {
      const auto extreme = [&](const std::vector<engine::Recommendation>& all) {
        int most = 0;  // beyond the latest one
        for (const auto& one : all) {
          const int beyond = step * (2'000 + step * (kEvaluations - 1) - one.replicas);
          most = one.time >= At(from) ? std::max(most, beyond) : most;
        }
        return most;
      };
      EXPECT_GE(extreme(remembered.memory.recommendations), extreme(memory.recommendations));
      const auto changed = [&](const engine::Memory& of) {
        int sum = 0;
        for (const auto& event : step > 0 ? of.scale_ups : of.scale_downs) {
          sum += event.time >= At(from) ? event.change : 0;
        }
        return sum;
      };
      EXPECT_GE(changed(remembered.memory), changed(memory));
    }
  }
}

TEST(StatusMemory, ComesBackAsItWas) {
  StatusMemory remembered{.writer = "ballast-0:/var/lib/ballast/ballast.db", .term = 7};
  remembered.memory.recommendations = {{At(50.123456789), 8}};
  remembered.memory.scale_ups = {{At(60.000000001), 3}};
  remembered.memory.scale_downs = {{At(79.5), 2}};
  remembered.memory.used_samples = {{"Resource/cpu", At(77)}};
  remembered.memory.no_value_since = At(12.5);
  remembered.memory.suspect_since = At(13.5);
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

TEST(StatusMemory, AddsWhatTheStoreDoesNotKnow) {
  engine::Memory memory;
  memory.scale_ups = {{At(10), 1}, {At(60), 3}};
  memory.used_samples = {{"Resource/cpu", At(70)}, {"Pods/queue", At(80)}};
  engine::Memory remembered;
  remembered.recommendations = {{At(50), 8}};
  remembered.scale_ups = {{At(60), 3}, {At(65), 1}};
  remembered.used_samples = {
      {"Resource/cpu", At(77)}, {"Pods/queue", At(75)}, {"External/q", At(1)}};
  Merge(memory, remembered);
  EXPECT_EQ(memory.recommendations, remembered.recommendations);
  EXPECT_THAT(memory.scale_ups,
              ElementsAre(engine::ScaleEvent{At(10), 1}, engine::ScaleEvent{At(60), 3},
                          engine::ScaleEvent{At(65), 1}));
  ASSERT_THAT(memory.used_samples, SizeIs(3));
  EXPECT_EQ(memory.used_samples[0].timestamp, At(77));
  EXPECT_EQ(memory.used_samples[1].timestamp, At(80));
}

// Absent: a metric had a value at its last evaluation, or no source was suspect.
TEST(StatusMemory, BelievesTheNewerOneSinceWhenSomethingLasts) {
  const std::optional<Time> none;
  for (const auto& own : {none, std::optional(At(10)), std::optional(At(30))}) {
    for (const auto& newer : {none, std::optional(At(20))}) {
      engine::Memory memory;
      memory.no_value_since = memory.suspect_since = own;
      engine::Memory other;
      other.no_value_since = other.suspect_since = newer;
      Merge(memory, other);
      EXPECT_EQ(memory.no_value_since, newer);
      EXPECT_EQ(memory.suspect_since, newer);
    }
  }
}

}  // namespace
}  // namespace ballast::controllers
