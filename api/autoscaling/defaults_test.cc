#include "api/autoscaling/defaults.h"

#include <gtest/gtest.h>

#include <string>

namespace ballast::api {
namespace {

std::string Print(const std::vector<MissingDefault>& missing) {
  std::string text;
  for (const MissingDefault& one : missing) {
    text += (text.empty() ? "" : " ") + std::string(one.replaces ? "=" : "+") + one.path + one.json;
  }
  return text;
}

TEST(MissingDefaults, AreWhatCompleteAdds) {
  const std::string percent = R"([{"type":"Percent","value":100,"periodSeconds":15}])";
  const std::string up =
      R"([{"type":"Pods","value":4,"periodSeconds":15},{"type":"Percent","value":100,"periodSeconds":15}])";
  const struct {
    const char* about;
    std::string spec;
    std::string missing;
  } kCases[] = {
      {"complete",
       R"({"minReplicas":1,"metrics":[{}],"behavior":{"scaleUp":)"
       R"({"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[]},)"
       R"("scaleDown":{"selectPolicy":"Min","policies":[]}}})",
       ""},
      {"null counts as absent", R"({"minReplicas":null,"metrics":[{}],"other":null})",
       "+/spec/minReplicas1"},
      {"an empty list of metrics", R"({"minReplicas":1,"metrics":[]})",
       R"(=/spec/metrics[{"type":"Resource","resource":{"name":"cpu","target":)"
       R"({"type":"Utilization","averageUtilization":80}}}])"},
      {"a direction", R"({"minReplicas":1,"metrics":[{}],"behavior":{"scaleUp":{}}})",
       R"(+/spec/behavior/scaleUp/stabilizationWindowSeconds0 )"
       R"(+/spec/behavior/scaleUp/selectPolicy"Max" +/spec/behavior/scaleUp/policies)" +
           up + R"( +/spec/behavior/scaleDown{"selectPolicy":"Max","policies":)" + percent + "}"},
      {"of another shape", R"(7)", ""},
      {"what has no defaults is not looked at",
       R"({"minReplicas":1,"metrics":[{"a":1,"a":2}],"x/y~z":1,"x/y~z":2})", ""},
  };
  for (const auto& c : kCases) {
    const auto parse = [](const std::string& text) { return json::Parse(text); };
    const auto object = parse(R"({"metadata":{"labels":{"a":"1","a":"2"}},"spec":)" + c.spec + "}");
    ASSERT_TRUE(object.ok()) << c.about;
    json::Decoder decoder(*object);
    EXPECT_EQ(Print(MissingDefaults(decoder.root(), HpaSchema())), c.missing) << c.about;
    const auto completed = parse(Complete(decoder.root(), HpaSchema()));
    json::Decoder again(*completed);
    EXPECT_EQ(Print(MissingDefaults(again.root(), HpaSchema())), "") << c.about;
  }
}

}  // namespace
}  // namespace ballast::api
