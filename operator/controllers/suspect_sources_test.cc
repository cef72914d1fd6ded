#include "operator/controllers/suspect_sources.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::controllers {
namespace {

using engine::testing::Ago;
using engine::testing::CpuOf;
using engine::testing::kNow;
using engine::testing::QueueOf;

constexpr const char* kExternal = "external.metrics.k8s.io";

// An evaluation `seconds` after noon of the policy with that uid, whose queue has that length.
engine::Snapshot Queue(const std::string& uid, std::int64_t seconds, const std::string& length) {
  engine::Snapshot snapshot = engine::testing::MakePolicy(4);
  snapshot.autoscaler.metadata.uid = uid;
  snapshot.now = kNow + Duration::Seconds(seconds);
  snapshot.metrics = {QueueOf(length)};
  return snapshot;
}

// An evaluation of a policy with `pods` pods, the first `samples` of which have samples.
engine::Snapshot Cpu(const std::string& uid, std::int64_t seconds, int pods, int samples) {
  engine::Snapshot snapshot = engine::testing::MakePolicy(pods);
  snapshot.autoscaler.metadata.uid = uid;
  snapshot.autoscaler.spec.metrics = {engine::testing::CpuMetric()};
  snapshot.now = kNow + Duration::Seconds(seconds);
  snapshot.metrics = {CpuOf(std::vector<std::string>(static_cast<std::size_t>(samples), "50m"))};
  return snapshot;
}

// Has nothing to add.
class PastAlone final : public session::SnapshotSource {
 public:
  void Start(const session::FetchMetrics& request, Done done) override { done({request, nullptr}); }
  session::TargetPointer TargetOf(const session::MetricsAnswer& /*answer*/) override {
    return std::make_shared<const session::SeenTarget>(api::Scale());
  }
  session::Gathered Gather(const session::MetricsAnswer& /*answer*/,
                           const session::SeenTarget& /*target*/,
                           engine::Snapshot& /*snapshot*/) override {
    return {};
  }
};

class SuspectSourcesTest : public testing::Test {
 protected:
  // Which source is suspect for it.
  std::optional<engine::SuspectSource> Suspect(engine::Snapshot snapshot) {
    (void)suspects_.Gather({}, *suspects_.TargetOf({}), snapshot);
    return snapshot.suspect_source;
  }
  // The name of that.
  std::string Look(const engine::Snapshot& snapshot) {
    const auto suspect = Suspect(snapshot);
    return suspect ? suspect->name : "";
  }
  std::optional<Time> Since(const engine::Snapshot& snapshot) {
    const auto suspect = Suspect(snapshot);
    return suspect ? std::optional(suspect->since) : std::nullopt;
  }
  // Evaluates `count` policies; how many of them are suspicious.
  int LookAt(int count, std::int64_t seconds, const std::string& length) {
    int found = 0;
    for (int i = 0; i < count; ++i) {
      found += Look(Queue(std::to_string(i), seconds, length)).empty() ? 0 : 1;
    }
    return found;
  }

  PastAlone source_;
  SuspectSources suspects_{source_};
};

TEST_F(SuspectSourcesTest, FivePoliciesAtOnceAreNoCoincidence) {
  EXPECT_EQ(LookAt(6, 0, "40"), 0);
  EXPECT_EQ(LookAt(4, 15, "0"), 0);
  EXPECT_EQ(Look(Queue("4", 15, "0")), kExternal);
  EXPECT_EQ(LookAt(5, 30, "0"), 5) << "the first four from their next evaluation on";
  EXPECT_EQ(Since(Queue("0", 45, "0")), kNow + Duration::Seconds(30));
  EXPECT_EQ(Look(Queue("5", 45, "30")), "") << "whoever has values is not concerned";
  EXPECT_EQ(Look(Queue("6", 45, "0")), "") << "nor who never had any";
}

TEST_F(SuspectSourcesTest, FourAre) {
  LookAt(4, 0, "40");
  EXPECT_EQ(LookAt(4, 15, "0"), 0);
  EXPECT_EQ(LookAt(4, 30, "0"), 0);
}

TEST_F(SuspectSourcesTest, OnlyTheLastTenMinutesCount) {
  LookAt(5, 0, "40");
  EXPECT_EQ(LookAt(4, 15, "0"), 0);
  EXPECT_EQ(Look(Queue("4", 600, "40")), "");
  EXPECT_EQ(Look(Queue("4", 615, "0")), "") << "the others have been idle for longer";
}

TEST_F(SuspectSourcesTest, ValuesThatWereLongAgoDoNotCount) {
  LookAt(5, 0, "40");
  EXPECT_EQ(LookAt(5, 601, "0"), 0);
}

TEST_F(SuspectSourcesTest, SourcesAreApart) {
  const auto prometheus = [](const std::string& uid, std::int64_t seconds, const char* value) {
    engine::Snapshot snapshot = Queue(uid, seconds, value);
    api::MetricSpec metric;
    metric.type = "Prometheus";
    metric.prometheus = {"main", "sum(x)", snapshot.autoscaler.spec.metrics[0].external->target};
    snapshot.autoscaler.spec.metrics = {metric};
    return snapshot;
  };
  LookAt(4, 0, "40");
  for (const char* uid : {"p", "q", "r", "s", "t"}) {
    Look(prometheus(uid, 0, "40"));
  }
  EXPECT_EQ(LookAt(4, 15, "0"), 0);
  EXPECT_EQ(Look(prometheus("p", 15, "0")), "");
  for (const char* uid : {"q", "r", "s"}) {
    Look(prometheus(uid, 15, "0"));
  }
  EXPECT_EQ(Look(prometheus("t", 15, "0")), "the Prometheus source \"main\"");
  EXPECT_EQ(LookAt(4, 30, "0"), 0);
}

TEST_F(SuspectSourcesTest, SeveralMetricsOfOnePolicyAreOnePolicy) {
  const auto many = [](std::int64_t seconds, const char* value) {
    engine::Snapshot snapshot = Queue("many", seconds, value);
    for (int i = 0; i < 5; ++i) {
      snapshot.autoscaler.spec.metrics.push_back(engine::testing::QueueMetric());
      snapshot.autoscaler.spec.metrics.back().external->metric.name = std::to_string(i);
      snapshot.metrics.push_back(snapshot.metrics[0]);
    }
    return snapshot;
  };
  Look(many(0, "40"));
  EXPECT_EQ(Look(many(15, "0")), "");
  EXPECT_EQ(suspects_.size(), 6U);
}

TEST_F(SuspectSourcesTest, FailuresSayNothing) {
  LookAt(5, 0, "40");
  for (int i = 0; i < 5; ++i) {
    engine::Snapshot failed = Queue(std::to_string(i), 15, "0");
    failed.metrics = {engine::Failure{"no answer"}};
    EXPECT_EQ(Look(failed), "");
  }
  EXPECT_EQ(LookAt(5, 30, "0"), 1) << "they had values 30 s ago";
  engine::Snapshot failed = Queue("4", 45, "0");
  failed.metrics = {engine::Failure{"no answer"}};
  EXPECT_EQ(Since(failed), kNow + Duration::Seconds(30)) << "nor do they end a suspicion";
}

TEST_F(SuspectSourcesTest, LosingMostPodsCounts) {
  const struct {
    const char* name;
    int pods;     // 10 before
    int samples;  // 10 before
    bool lost;
  } kCases[] = {{"most", 10, 4, true},
                {"half", 10, 5, false},
                {"most of those that are left", 8, 3, true},
                {"scaled in", 4, 4, false},
                {"scaled out", 30, 10, false}};
  for (const auto& c : kCases) {
    std::string suspect;
    for (int i = 0; i < 5; ++i) {
      Look(Cpu(c.name + std::to_string(i), 0, 10, 10));
    }
    for (int i = 0; i < 5; ++i) {
      suspect = Look(Cpu(c.name + std::to_string(i), 15, c.pods, c.samples));
    }
    EXPECT_EQ(!suspect.empty(), c.lost) << c.name;
  }
}

TEST_F(SuspectSourcesTest, ARolloutIsNoLoss) {
  for (int i = 0; i < 5; ++i) {
    Look(Cpu(std::to_string(i), 0, 10, 10));
  }
  for (int i = 0; i < 5; ++i) {
    engine::Snapshot snapshot = Cpu(std::to_string(i), 60, 10, 0);
    engine::PodList young;
    for (int pod = 0; pod < 10; ++pod) {
      const auto one = engine::testing::MakePod("new-" + std::to_string(pod));
      one->start_time = snapshot.now - Duration::Seconds(119);
      young.push_back(one);
    }
    snapshot.pods = young;
    EXPECT_EQ(Look(snapshot), "");
  }
}

TEST_F(SuspectSourcesTest, ASourceThatComesAndGoesIsOneSuspicion) {
  LookAt(5, 0, "40");
  LookAt(5, 15, "0");
  EXPECT_EQ(Since(Queue("4", 30, "0")), kNow + Duration::Seconds(15));
  EXPECT_EQ(Look(Queue("4", 45, "40")), "") << "the hold ends with the first value";
  EXPECT_EQ(Since(Queue("4", 60, "0")), kNow + Duration::Seconds(15));
  EXPECT_EQ(Look(Queue("4", 75, "40")), "");
  EXPECT_EQ(Look(Queue("4", 675, "40")), "");
  EXPECT_EQ(Look(Queue("4", 690, "0")), "") << "ten minutes later nothing is left of it";
}

// Otherwise it would last until the clock shows that time again.
TEST_F(SuspectSourcesTest, AClockThatIsSetBackProlongsNone) {
  constexpr std::int64_t kBack = -3'600;
  LookAt(5, 0, "40");
  LookAt(5, 15, "0");
  EXPECT_EQ(Since(Queue("4", 30, "0")), kNow + Duration::Seconds(15));
  auto unanswered = Queue("4", kBack, "0");
  unanswered.metrics = {engine::Failure{"timed out"}};
  EXPECT_EQ(Since(unanswered), kNow + Duration::Seconds(kBack));
  LookAt(5, kBack + 15, "40");
  LookAt(5, kBack + 620, "40");
  LookAt(5, kBack + 635, "0");
  EXPECT_EQ(Since(Queue("4", kBack + 650, "0")), kNow + Duration::Seconds(kBack + 635))
      << "the values were back for ten minutes: it is another suspicion";
}

TEST_F(SuspectSourcesTest, ARestartContinuesIt) {
  engine::Snapshot unanswered = Queue("web", -15, "0");
  unanswered.memory->suspect_since = Ago(300);
  unanswered.metrics = {engine::Failure{"no answer"}};
  EXPECT_EQ(Since(unanswered), Ago(300));
  engine::Snapshot lost = Queue("web", 0, "0");
  lost.memory->suspect_since = Ago(300);
  EXPECT_EQ(Since(lost), Ago(300));
  EXPECT_EQ(Since(Queue("web", 15, "0")), Ago(300));
  EXPECT_EQ(Look(Queue("web", 30, "1")), "");

  engine::Snapshot crashed = Queue("crashed", 0, "0");
  crashed.autoscaler.status.conditions = {{"Held", "True", "SourceSuspect", "", Ago(60)}};
  EXPECT_EQ(Since(crashed), Ago(60)) << "the status was written, and the memory was not";

  engine::Snapshot recovered = Queue("shop", 0, "40");
  recovered.memory->suspect_since = Ago(300);
  EXPECT_EQ(Look(recovered), "");

  engine::Snapshot pods = Cpu("pods", 0, 10, 4);
  pods.memory->suspect_since = Ago(300);
  EXPECT_EQ(Since(pods), Ago(300));
  EXPECT_EQ(Look(Cpu("pods", 15, 10, 4)), "metrics.k8s.io");
  EXPECT_EQ(Look(Cpu("pods", 30, 10, 5)), "");
}

TEST_F(SuspectSourcesTest, ASourceThatBreaksDuringARestartIsFound) {
  const auto after = [](int i, std::optional<Time> last_evaluation) {
    engine::Snapshot snapshot = Queue(std::to_string(i), 0, "0");
    snapshot.last_evaluation = last_evaluation;
    api::MetricStatus before{.type = "External"};
    before.current.average_value = engine::testing::Parse("10");
    snapshot.autoscaler.status.current_metrics = {before};
    snapshot.autoscaler.status.observed_generation = snapshot.autoscaler.metadata.generation;
    return snapshot;
  };
  engine::Snapshot edited = after(6, Ago(20));
  ++edited.autoscaler.metadata.generation;
  EXPECT_EQ(Look(edited), "");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Look(after(i, Ago(20))), "");
  }
  EXPECT_EQ(Look(after(4, Ago(601))), "") << "too long ago, and the other's values were another's";
  EXPECT_EQ(Look(after(5, Ago(20))), kExternal);
}

TEST_F(SuspectSourcesTest, HpasAreNotLookedAt) {
  for (const char* length : {"40", "0"}) {
    for (int i = 0; i < 6; ++i) {
      engine::Snapshot hpa = Queue(std::to_string(i), 0, length);
      hpa.autoscaler.kind = api::kHpaKind;
      EXPECT_EQ(Look(hpa), "");
    }
  }
  EXPECT_EQ(suspects_.size(), 0U);
}

// Whoever writes policies chooses the names.
TEST_F(SuspectSourcesTest, NothingIsKeptOfSourcesThatGaveNothingOrAreGone) {
  const auto look = [&](const std::string& source, std::int64_t seconds, bool answers) {
    engine::Snapshot snapshot = Queue("p", seconds, "40");
    snapshot.autoscaler.spec.metrics.front() = {.type = "Prometheus"};
    snapshot.autoscaler.spec.metrics.front().prometheus = {.source = source, .query = "q"};
    if (!answers) {
      snapshot.metrics = {engine::Failure{"no such source"}};
    }
    Look(snapshot);
  };
  for (int i = 0; i < 100; ++i) {
    look("unknown-" + std::to_string(i), 0, false);
  }
  EXPECT_EQ(suspects_.size(), 0U);
  for (int i = 0; i < 100; ++i) {
    look("known-" + std::to_string(i), 0, true);
  }
  EXPECT_EQ(suspects_.size(), 100U);
  look("present", 7201, true);
  EXPECT_EQ(suspects_.size(), 1U);
}

TEST_F(SuspectSourcesTest, WhoIsGoneIsForgotten) {
  LookAt(100, 0, "40");
  EXPECT_EQ(suspects_.size(), 100U);
  Look(Queue("other", 7201, "40"));
  EXPECT_EQ(suspects_.size(), 1U);
}

}  // namespace
}  // namespace ballast::controllers
