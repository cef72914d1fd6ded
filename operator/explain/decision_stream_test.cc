#include "operator/explain/decision_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ballast::explain {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A target of 4 replicas and a queue of `load` whose target is 10 per replica.
std::string Line(const std::string& id, const std::string& now, int load,
                 const std::string& extra = "") {
  return R"({"id":")" + id + R"(","now":")" + now +
         R"(","autoscaler":{"kind":"HorizontalPodAutoscaler","metadata":{"name":"w"},"spec":{)"
         R"("minReplicas":1,"maxReplicas":9,"metrics":[{"type":"External","external":{"metric":)"
         R"({"name":"q"},"target":{"type":"AverageValue","averageValue":"10"}}}]}},)"
         R"("scale":{"object":{"spec":{"replicas":4},"status":{"replicas":4,"selector":"a=b"}}},)"
         R"("pods":[],"metrics":[{"values":{"items":[{"metricName":"q","value":")" +
         std::to_string(load) + R"("}]}}])" + extra + "}";
}

TEST(DecisionStream, ASeriesCarriesItsMemory) {
  DecisionStream stream(engine::Tracing::kOff);
  const std::string series = R"(,"series":"s")";
  EXPECT_THAT(stream.Answer(Line("1", "2026-03-04T12:00:00Z", 20, series)),
              HasSubstr(R"("desiredReplicas":4)"));
  EXPECT_THAT(stream.Answer(Line("2", "2026-03-04T12:04:00Z", 20, series)),
              HasSubstr(R"("desiredReplicas":4)"));
  EXPECT_THAT(stream.Answer(Line("3", "2026-03-04T12:05:01Z", 20, series)),
              HasSubstr(R"("desiredReplicas":2)"))
      << "five minutes after the first";
  EXPECT_THAT(stream.Answer(Line("4", "2026-03-04T12:05:01Z", 20, R"(,"series":"other")")),
              HasSubstr(R"("desiredReplicas":4)"));
}

TEST(DecisionStream, ABadLineIsAnsweredInItsPlace) {
  DecisionStream stream(engine::Tracing::kOff);
  const struct {
    std::string line;
    const char* says;
  } kCases[] = {
      {"", R"({"error":"not JSON: )"},
      {"{", R"({"error":"not JSON: )"},
      {"[]", R"({"error":"expected an object, got an array"})"},
      {"{}", R"({"error":"now: is required"})"},
      {R"({"id":"x"})", R"({"id":"x","error":"now: is required"})"},
      {std::string(100'000, '['), R"({"error":"not JSON: at byte 65: nested deeper)"},
      {"{\"id\":\"\xc3\x28\"}", R"({"error":"not JSON: )"},
      {R"({"id":")" + std::string(10'000'000, 'x') + R"("})", R"({"id":"xxx)"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(stream.Answer(c.line), StartsWith(c.says)) << c.line.substr(0, 40);
  }
  EXPECT_TRUE(stream.found_wrong());
  EXPECT_THAT(stream.Answer(Line("1", "2026-03-04T12:00:00Z", 20)), Not(HasSubstr("error")));
}

TEST(DecisionStream, TracesOnRequest) {
  const std::string line = Line("1", "2026-03-04T12:00:00Z", 90);
  EXPECT_THAT(DecisionStream(engine::Tracing::kOn).Answer(line), HasSubstr("\"trace\":["));
  EXPECT_THAT(DecisionStream(engine::Tracing::kOff).Answer(line), Not(HasSubstr("\"trace\"")));
}

}  // namespace
}  // namespace ballast::explain
