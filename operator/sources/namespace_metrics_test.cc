#include "operator/sources/namespace_metrics.h"
#include "api/kubernetes/parse_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ballast::sources {
namespace {

using testing::ElementsAre;

void Add(NamespaceMetrics& metrics, const std::string& name, const api::Labels& labels) {
  metrics.Add({.name = name, .labels = labels, .timestamp = {}, .window = {}});
}

std::vector<std::string> Select(const NamespaceMetrics& metrics, const std::string& selector) {
  std::vector<std::string> names;
  for (const auto& pod : metrics.Select(*api::ParseSelector(selector))) {
    names.push_back(pod->name);
  }
  return names;
}

TEST(NamespaceMetrics, SelectsByLabel) {
  NamespaceMetrics metrics;
  Add(metrics, "b", {{"app", "web"}, {"tier", "front"}});
  Add(metrics, "a", {{"app", "web"}, {"tier", "back"}});
  Add(metrics, "c", {{"app", "db"}});
  Add(metrics, "d", {});
  Add(metrics, "0", {{"app", "web"}, {"tier", "back"}});
  EXPECT_THAT(Select(metrics, "app=web"), ElementsAre("0", "a", "b"));
  EXPECT_THAT(Select(metrics, "app=web,tier==front"), ElementsAre("b"));
  EXPECT_THAT(Select(metrics, "tier in (back),app=web"), ElementsAre("0", "a"));
  EXPECT_THAT(Select(metrics, "app in (db,web),tier!=back"), ElementsAre("b", "c"));
  EXPECT_THAT(Select(metrics, "tier"), ElementsAre("0", "a", "b"));
  EXPECT_THAT(Select(metrics, "!app"), ElementsAre("d"));
  EXPECT_THAT(Select(metrics, "app=none"), ElementsAre());
  EXPECT_TRUE(metrics.has_labels());
}

TEST(NamespaceMetrics, OfTwoPodsOfOneNameTheFirstCounts) {
  NamespaceMetrics metrics;
  Add(metrics, "a", {{"app", "web"}});
  Add(metrics, "a", {{"app", "db"}});
  EXPECT_THAT(Select(metrics, "app=web"), ElementsAre("a"));
  EXPECT_THAT(Select(metrics, "app=db"), ElementsAre());
}

TEST(NamespaceMetrics, SaysWhetherAnyPodHasLabels) {
  NamespaceMetrics metrics;
  Add(metrics, "a", {});
  EXPECT_FALSE(metrics.has_labels());
}

}  // namespace
}  // namespace ballast::sources
