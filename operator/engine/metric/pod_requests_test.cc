#include "operator/engine/metric/pod_requests.h"

#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Parse;

api::Container Container(const char* name, const char* cpu, bool sidecar = false) {
  return {name, cpu == nullptr ? api::ResourceList{} : api::ResourceList{{"cpu", Parse(cpu)}},
          sidecar};
}

struct Case {
  const char* name;
  std::vector<api::Container> containers;
  std::vector<api::Container> init;
  api::ResourceList pod_level;
  api::ResourceList overhead;
  const char* container;
  std::int64_t milli;  // -1: an error
  const char* error;
};

TEST(Requests, OfAPod) {
  const Case kCases[] = {
      {"containers add up",
       {Container("a", "1"), Container("b", "200m")},
       {},
       {},
       {},
       "",
       1200,
       ""},
      {"each is rounded up by itself",
       {Container("a", "1u"), Container("b", "1u")},
       {},
       {},
       {},
       "",
       2,
       ""},
      {"sidecars count, init containers do not",
       {Container("a", "100m")},
       {Container("i", "5"), Container("s", "10m", true)},
       {},
       {},
       "",
       110,
       ""},
      {"one without",
       {Container("a", "1"), Container("b", nullptr)},
       {},
       {},
       {},
       "",
       -1,
       "missing request for cpu in container b of Pod p"},
      {"a sidecar without",
       {Container("a", "1")},
       {Container("s", nullptr, true)},
       {},
       {},
       "",
       -1,
       "missing request for cpu in container s of Pod p"},
      {"no containers", {}, {}, {}, {}, "", 0, ""},
      {"overhead does not count",
       {Container("a", "1")},
       {},
       {},
       {{"cpu", Parse("1")}},
       "",
       1000,
       ""},
      {"one container", {Container("a", "1"), Container("b", "200m")}, {}, {}, {}, "b", 200, ""},
      {"one sidecar", {Container("a", "1")}, {Container("s", "7m", true)}, {}, {}, "s", 7, ""},
      {"an init container",
       {Container("a", "1")},
       {Container("i", "7m")},
       {},
       {},
       "i",
       -1,
       "container i not found in Pod p"},
      {"the pod's own, with overhead",
       {Container("a", "1")},
       {},
       {{"cpu", Parse("3")}},
       {{"cpu", Parse("1u")}},
       "",
       3001,
       ""},
      {"of one container all the same",
       {Container("a", "1")},
       {},
       {{"cpu", Parse("3")}},
       {},
       "a",
       1000,
       ""},
      {"the pod's own of another resource: containers, sidecars, and the largest start",
       {Container("a", "1")},
       {Container("s", "100m", true), Container("i", "3"), Container("t", "50m", true)},
       {{"memory", Parse("1Gi")}},
       {},
       "",
       3100,
       ""},
      {"the sum is rounded, not its parts",
       {Container("a", "1u"), Container("b", "1u")},
       {},
       {{"memory", Parse("1Gi")}},
       {},
       "",
       1,
       ""},
      {"nobody asks",
       {Container("a", nullptr)},
       {},
       {{"memory", Parse("1Gi")}},
       {},
       "",
       -1,
       "missing pod-level request for cpu in Pod p"},
      {"only overhead",
       {Container("a", nullptr)},
       {},
       {{"memory", Parse("1Gi")}},
       {{"cpu", Parse("5m")}},
       "",
       5,
       ""},
      {"a resource that pods cannot have",
       {Container("a", "1")},
       {},
       {{"example.com/gpu", Parse("1")}},
       {{"cpu", Parse("1")}},
       "",
       1000,
       ""},
  };
  for (const Case& c : kCases) {
    auto pod = std::make_shared<api::Pod>();
    pod->metadata.name = "p";
    pod->containers = c.containers;
    pod->init_containers = c.init;
    pod->pod_requests = c.pod_level;
    pod->overhead = c.overhead;
    const auto requests = RequestsOf({pod}, c.container, "cpu", kQuirksOf136);
    if (c.milli < 0) {
      ASSERT_FALSE(requests.ok()) << c.name;
      EXPECT_EQ(requests.error().message, c.error) << c.name;
    } else {
      ASSERT_TRUE(requests.ok()) << c.name << ": " << requests.error().message;
      EXPECT_EQ(*requests->Find("p"), c.milli) << c.name;
    }
  }
}

// A policy asks for what a sample can be compared with: no overhead, and while a resize is not done
// what the pod has.
TEST(Requests, OfAPolicysPod) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = "p";
  api::Container a = Container("a", "3");
  a.has = {{"cpu", Parse("2")}};
  api::Container b = Container("b", "1");
  b.has = {{"memory", Parse("1Gi")}};
  pod->containers = {a, b};
  pod->overhead = {{"cpu", Parse("500m")}};
  const auto request = [&](const char* container, const Quirks& quirks) {
    return *RequestsOf({pod}, container, "cpu", quirks)->Find("p");
  };
  EXPECT_EQ(request("", kNoQuirks), 3000);
  EXPECT_EQ(request("", kQuirksOf136), 4000);
  EXPECT_EQ(request("a", kNoQuirks), 2000);
  pod->pod_requests = {{"cpu", Parse("6")}};
  EXPECT_EQ(request("", kNoQuirks), 6000);
  EXPECT_EQ(request("", kQuirksOf136), 6500);
  pod->pod_has = {{"cpu", Parse("4")}};
  EXPECT_EQ(request("", kNoQuirks), 4000);
  EXPECT_EQ(request("", kQuirksOf136), 6500);
}

}  // namespace
}  // namespace ballast::engine
