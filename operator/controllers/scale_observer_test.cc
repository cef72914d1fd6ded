#include "operator/controllers/scale_observer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_ledger.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_patience.h"

namespace ballast::controllers {
namespace {

Time At(std::int64_t seconds) { return {1'800'000'000 + seconds, 0}; }

engine::Snapshot Seen(std::int64_t seconds, std::int32_t replicas, const std::string& manager = "",
                      int ready_pods = 0) {
  engine::Snapshot snapshot{.now = At(seconds)};
  snapshot.autoscaler.metadata = {.name = "web", .namespace_ = "shop", .uid = "p1"};
  api::Scale scale;
  scale.spec_replicas = replicas;
  if (!manager.empty()) {
    scale.replicas_manager = api::FieldManager{manager, At(seconds - 1)};
  }
  snapshot.scale = scale;
  engine::PodList pods;
  for (int i = 0; i < ready_pods; ++i) {
    api::Pod pod;
    pod.ready =
        api::Condition{.type = "Ready", .status = "True", .last_transition_time = At(i * 10)};
    pods.push_back(std::make_shared<const api::Pod>(pod));
  }
  snapshot.pods = pods;
  return snapshot;
}

class WitnessTest : public testing::Test {
 protected:
  // Closes the ledger and queries it.
  std::string Recorded(const char* sql) {
    ledger_.reset();
    return store::Database::Open(path_, store::Access::kRead).value()->Text(sql).value();
  }

  support::TempDir folder_;
  const std::string path_ = folder_.path() + "/ballast.db";
  std::unique_ptr<store::Ledger> ledger_ =
      store::OpenLedger(path_, {.intent_timeout = support::Watchdog()}).value();
  // Records what was observed as a session does.
  void See(ScaleObserver& observer, const engine::Snapshot& snapshot) {
    const Observation seen = observer.See(snapshot, ask_);
    if (seen.change) {
      ledger_->Append(
          store::ForeignChangeSeen{{"p1", "AutoScalePolicy", {"shop", "web"}}, *seen.change});
    }
    if (seen.ready) {
      ledger_->Append(store::PodsReady{"p1", *seen.ready});
    }
  }

  int asked_ = 0;
  const ScaleObserver::AskManager ask_ = [this](std::int32_t) {
    ++asked_;
    return std::optional(api::FieldManager{"helm", At(7)});
  };
};

constexpr const char* kForeign =
    "SELECT ifnull(group_concat(before || '>' || after || ' ' || manager, ', '), '')"
    " FROM foreign_changes";

TEST_F(WitnessTest, RecordsWhatOthersDidToTheReplicasAndWho) {
  ScaleObserver observer;
  See(observer, Seen(0, 3));  // the first sight is no change
  See(observer, Seen(15, 3));
  EXPECT_EQ(asked_, 0);
  See(observer, Seen(30, 7, "kubectl"));
  EXPECT_EQ(asked_, 0);
  See(observer, Seen(45, 2));
  EXPECT_EQ(asked_, 1);
  See(observer, Seen(60, 5, "ballast"));  // another replica of the operator
  EXPECT_EQ(Recorded(kForeign), "3>7 kubectl, 7>2 helm");
}

TEST_F(WitnessTest, ItsOwnWritesAreNobodyElses) {
  ScaleObserver observer;
  See(observer, Seen(0, 3));
  observer.Wrote({1, 3, 5, At(1)});
  See(observer, Seen(15, 5));
  observer.MayHaveWritten();
  See(observer, Seen(30, 9));
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(Recorded(kForeign), "");
}

TEST_F(WitnessTest, RecordsWhenThePodsOfAScaleEventWereReady) {
  const store::Evaluation evaluation{.subject = {"p1", "AutoScalePolicy", {"shop", "web"}},
                                     .time = At(5),
                                     .current_replicas = 1,
                                     .desired_replicas = 3};
  const auto intent = ledger_->AppendDurably(store::Intended{evaluation});
  ledger_->Append(
      store::Concluded{intent.id, {engine::Outcome::Kind::kWritten, ""}, At(6), {}, nullptr});
  // After a restart it still waits for the pods.
  ScaleObserver observer(store::RecalledState{
      .replicas = 3, .last_write = store::ScaleWrite{intent.id, 1, 3, At(5), false}});
  See(observer, Seen(15, 3, "", 2));
  See(observer, Seen(30, 3, "", 3));  // the third became ready at 20
  See(observer, Seen(45, 3, "", 4));
  EXPECT_EQ(Recorded("SELECT ready / 1000000000 - 1800000000 FROM timelines"), "20");
}

}  // namespace
}  // namespace ballast::controllers
