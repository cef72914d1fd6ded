#include "operator/admission/quota.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace ballast::admission {
namespace {

std::shared_ptr<const api::Pod> Pod(const std::string& name, const std::string& cpu,
                                    const std::string& phase = "Running") {
  const auto document = json::Parse(R"({"metadata":{"name":")" + name +
                                    R"("},"spec":{"containers":[{"name":"app","resources":)"
                                    R"({"requests":{"cpu":")" +
                                    cpu + R"("}}}]},"status":{"phase":")" + phase + R"("}})");
  json::Decoder decoder(*document);
  api::Pod pod;
  Decode(decoder.root(), pod);
  EXPECT_TRUE(decoder.status().ok());
  return std::make_shared<const api::Pod>(std::move(pod));
}

TEST(RoomIn, LeavesOthersWhatTheyUse) {
  const engine::PodList two = {Pod("a", "250m"), Pod("b", "250m")};
  const engine::PodList one_ended = {Pod("a", "250m"), Pod("b", "250m", "Succeeded")};
  const engine::PodList two_sizes = {Pod("old", "250m"), Pod("new", "500m")};
  const engine::PodList huge = {Pod("a", "12P")};
  const struct {
    const char* about;
    const engine::PodList& pods;
    const char* hard;
    const char* used;
    const char* expected;  // "RESOURCE COUNT", or empty: no limit
  } kCases[] = {
      {"nothing counted yet", two, R"({"pods":"20"})", "", "pods 20"},
      {"own pods only", two, R"({"pods":"20"})", R"({"pods":"2"})", "pods 20"},
      {"others' pods", two, R"({"pods":"20"})", R"({"pods":"14"})", "pods 8"},
      {"no pod of its own", {}, R"({"pods":"20"})", R"({"pods":"14"})", "pods 6"},
      {"more used than allowed", two, R"({"pods":"3"})", R"({"pods":"9"})", "pods 0"},
      {"not counted as quickly as made", two, R"({"pods":"20"})", R"({"pods":"1"})", "pods 20"},
      {"an ended pod uses nothing", one_ended, R"({"pods":"20"})", R"({"pods":"11"})", "pods 10"},
      {"but is an object", one_ended, R"({"count/pods":"20"})", R"({"count/pods":"12"})",
       "count/pods 10"},
      {"requests", two, R"({"requests.cpu":"2"})", R"({"requests.cpu":"1500m"})", "requests.cpu 4"},
      {"requests of the largest pod", two_sizes, R"({"cpu":"3"})", R"({"cpu":"750m"})", "cpu 6"},
      {"requests that nobody tells", {}, R"({"requests.cpu":"2"})", "", ""},
      {"requests that no pod has", two, R"({"requests.memory":"1Gi"})", "", ""},
      {"beyond all numbers", two, R"({"requests.cpu":"10P"})", R"({"requests.cpu":"1"})",
       "requests.cpu 36893488147419101"},
      {"pods beyond them", huge, R"({"requests.cpu":"10P"})", "", "requests.cpu 1"},
      {"the tightest", two, R"({"pods":"20","requests.cpu":"1"})", "", "requests.cpu 4"},
      {"what is no pod's", two, R"({"secrets":"1","limits.cpu":"1"})", "", ""},
      {"no quantity", two, R"({"pods":"many"})", "", ""},
  };
  for (const auto& c : kCases) {
    const std::string used =
        *c.used == '\0' ? "" : R"(,"status":{"used":)" + std::string(c.used) + "}";
    const auto document =
        json::Parse(R"({"metadata":{"name":"q","namespace":"shop"},"spec":{"hard":)" +
                    std::string(c.hard) + "}" + used + "}");
    ASSERT_TRUE(document.ok()) << c.about;
    json::Decoder decoder(*document);
    const auto room = RoomIn(decoder.root(), c.pods);
    EXPECT_EQ(room ? room->resource + " " + std::to_string(room->replicas) : "", c.expected)
        << c.about;
    EXPECT_EQ(room ? room->name : "shop/q", "shop/q");
  }
}

TEST(RoomIn, SaysNothingAboutAQuotaOfSomePods) {
  for (const char* some : {R"("scopes":["BestEffort"])", R"("scopeSelector":{})"}) {
    const auto document =
        json::Parse(R"({"metadata":{},"spec":{"hard":{"pods":"1"},)" + std::string(some) + "}}");
    json::Decoder decoder(*document);
    EXPECT_FALSE(RoomIn(decoder.root(), {})) << some;
  }
}

}  // namespace
}  // namespace ballast::admission
