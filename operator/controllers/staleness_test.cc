#include "operator/controllers/staleness.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/fake_clock.h"

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;
using Remedy = Staleness::Remedy;

// One pod a letter: Pending, Running, Succeeded, Failed; t: Running, but being deleted.
engine::PodList Pods(const std::string& letters) {
  engine::PodList pods;
  for (const char letter : letters) {
    api::Pod pod;
    pod.phase = letter == 'P'   ? "Pending"
                : letter == 'S' ? "Succeeded"
                : letter == 'F' ? "Failed"
                                : "Running";
    if (letter == 't') {
      pod.metadata.deletion_timestamp = Time();
    }
    pods.push_back(std::make_shared<const api::Pod>(pod));
  }
  return pods;
}

api::Scale Counting(int replicas) {
  api::Scale scale;
  scale.status_replicas = replicas;
  return scale;
}

TEST(CountsDiffer, WhenTheTargetCountsOtherPods) {
  const struct {
    const char* name;
    int counted;
    const char* pods;
    bool differ;
  } kCases[] = {
      {"none", 0, "", false},
      {"all", 3, "RRP", false},
      {"more than there are", 4, "RRP", true},
      {"fewer than there are", 2, "RRP", true},
      {"those that have ended do not count", 2, "RRSF", false},
      {"the one that goes counts", 3, "RRt", false},
      {"the one that goes does not count", 2, "RRt", false},
      {"one more goes than is there", 1, "RRt", true},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(CountsDiffer(Counting(c.counted), Pods(c.pods)), c.differ) << c.name;
  }
}

class StalenessTest : public testing::Test {
 protected:
  Remedy LookAtCounts(int counted, const std::string& pods) {
    return staleness_.LookAtCounts("d", Counting(counted), Pods(pods), read_at_);
  }
  // With metrics of these pods.
  bool LookAtNames(const std::vector<std::string>& names) {
    metrics_ = std::make_shared<sources::NamespaceMetrics>();
    for (const std::string& name : names) {
      metrics_->Add({.name = name});
    }
    return LookAgain();
  }
  bool LookAgain() { return staleness_.LookAtNames("shop", metrics_, store_, read_at_); }

  void PutPod(const std::string& name) {
    api::Pod pod;
    pod.metadata.namespace_ = "shop";
    pod.metadata.name = name;
    store_.Put({"shop", name},
               {"u", "1", std::make_shared<const cluster::PackedPod>(packer_.Pack(pod))});
  }

  support::FakeClock clock_;
  process::SteadyTime read_at_ = clock_.Steady();
  cluster::PodPacker packer_;
  cluster::PodCache store_;
  std::shared_ptr<sources::NamespaceMetrics> metrics_;
  Staleness staleness_{clock_};
};

TEST_F(StalenessTest, ACountThatStaysDifferentIsLookedInto) {
  clock_.Advance(1s);
  EXPECT_EQ(LookAtCounts(2, "RRR"), Remedy::kNone);
  clock_.Advance(9s);
  EXPECT_EQ(LookAtCounts(1, "RRR"), Remedy::kNone) << "another difference is one too";
  clock_.Advance(1s);
  EXPECT_EQ(LookAtCounts(2, "RRR"), Remedy::kAskTarget) << "its scale may be what is old";
  EXPECT_EQ(LookAtCounts(2, "RRR"), Remedy::kReadPods);
  clock_.Advance(1s);
  read_at_ = clock_.Steady();
  for (int minute = 0; minute < 59; ++minute) {
    clock_.Advance(1min);
    EXPECT_EQ(LookAtCounts(2, "RRR"), Remedy::kNone) << "as it is, whatever is read";
  }
  clock_.Advance(1min);
  EXPECT_EQ(LookAtCounts(2, "RRR"), Remedy::kReadPods);
}

// As in a rollout: a different difference at each evaluation.
TEST_F(StalenessTest, DifferencesThatComeAndGoAreNone) {
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(15s);
    EXPECT_EQ(LookAtCounts(2, "RRR"), Remedy::kNone);
    clock_.Advance(1s);
    EXPECT_EQ(LookAtCounts(3, "RRR"), Remedy::kNone);
    EXPECT_EQ(staleness_.size(), 0U);
  }
}

TEST_F(StalenessTest, MetricsOfPodsThatTheViewDoesNotKnow) {
  clock_.Advance(1s);
  PutPod("web-0");
  EXPECT_FALSE(LookAtNames({"web-0", "web-1"}));
  clock_.Advance(10s);
  EXPECT_TRUE(LookAgain()) << "the same answer, still";
  EXPECT_TRUE(LookAtNames({"web-0", "web-1"}));
  PutPod("web-1");
  EXPECT_FALSE(LookAtNames({"web-0", "web-1"}));
}

// Pods end all the time, and their metrics remain for a moment.
TEST_F(StalenessTest, EachPodIsUnknownForItself) {
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(8s);
    EXPECT_FALSE(LookAtNames({"job-" + std::to_string(i)}));
  }
}

TEST_F(StalenessTest, WhatNobodyLooksAtIsDropped) {
  for (int i = 0; i < 1000; ++i) {
    staleness_.LookAtCounts(std::to_string(i), Counting(1), {}, read_at_);
    clock_.Advance(1min);
  }
  EXPECT_LE(staleness_.size(), 2U * 120U);
}

}  // namespace
}  // namespace ballast::controllers
