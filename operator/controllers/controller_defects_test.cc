// The controller with its threads, where an evaluation breaks off, hangs, or has no reason to be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "operator/controllers/controller.h"
#include "operator/controllers/testing/watched_fixture.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/telemetry/registry.h"

namespace ballast::controllers {
namespace {

// shop/web asks for 4 replicas instead of 2.
class ControllerDefectsTest : public WatchedFixture {
 protected:
  ControllerDefectsTest() { source_.queue = 40; }

  // Waits until a metric of the controller's has a value.
  void Await(const std::string& metric) const {
    while (!Has(metric)) {
      std::this_thread::yield();
    }
  }
  bool Has(const std::string& metric) const {
    return registry_.Print().find("\n" + metric + "\n") != std::string::npos;
  }

  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  cluster::ScaleTargets targets_{transport_, client_, mapper_, clock_, {}, Duration::Seconds(120)};
  telemetry::Registry registry_;
  Reconcilers reconcilers_{watches_, ports_, {.sessions = options_}};
  Controller controller_{watches_, targets_, reconcilers_, clock_, 1, ControllerMetrics(registry_)};
};

TEST_F(ControllerDefectsTest, AnEvaluationThatBreaksOffIsTriedAgain) {
  support::Channel<int> evaluations;
  int evaluation = 0;
  source_.on_gather = [&] {
    evaluations.Push(++evaluation);
    if (evaluation == 1) {
      throw std::runtime_error("a defect");
    }
  };
  Start();
  controller_.Start();
  EXPECT_EQ(evaluations.Pop(), 1);
  while (controller_.DebugState().delayed == 0) {
    std::this_thread::yield();
  }
  clock_.Advance(std::chrono::milliseconds(5));  // less than a period
  EXPECT_EQ(evaluations.Pop(), 2);
  const std::string of = "{controller=\"autoscalepolicy\"";
  Await("controller_runtime_reconcile_total" + of + ",result=\"requeue_after\"} 1");
  controller_.Stop();
  EXPECT_TRUE(Has("controller_runtime_reconcile_panics_total" + of + "} 1"));
  EXPECT_TRUE(Has("controller_runtime_reconcile_errors_total" + of + "} 1"));
  EXPECT_TRUE(Has("controller_runtime_reconcile_total" + of + ",result=\"error\"} 1"));
}

TEST_F(ControllerDefectsTest, AnEvaluationThatHangsIsTold) {
  support::Channel<int> writes;
  support::Channel<int> go_on;
  scale_.on_write = [&] {
    writes.Push(1);
    go_on.Pop();
  };
  Start();
  controller_.Start();
  EXPECT_TRUE(writes.Pop());
  clock_.Advance(std::chrono::minutes(10));
  EXPECT_TRUE(controller_.CheckAlive().ok());
  clock_.Advance(std::chrono::seconds(1));
  const Status alive = controller_.CheckAlive();
  go_on.Push(1);
  controller_.Stop();
  ASSERT_FALSE(alive.ok());
  EXPECT_EQ(alive.error().message, "an evaluation has been running for 10m1s");
  EXPECT_TRUE(controller_.CheckAlive().ok());
}

TEST_F(ControllerDefectsTest, AWriteThatBreaksOffIsADefectOfOnePolicy) {
  scale_.on_write = [] { throw std::runtime_error("a defect"); };
  Start();
  controller_.Start();
  const std::string of = "{controller=\"autoscalepolicy\"";
  Await("controller_runtime_reconcile_panics_total" + of + "} 1");
  controller_.Stop();
  EXPECT_TRUE(Has("controller_runtime_reconcile_total" + of + ",result=\"error\"} 1"));
  EXPECT_TRUE(Has("controller_runtime_active_workers" + of + "} 0"));
  ASSERT_EQ(ledger_.decisions.size(), 1u);
  EXPECT_EQ(ledger_.decisions.begin()->second.disposition, store::Disposition::kIntended)
      << "it may have been written";
}

// Otherwise each write of a status would cause another evaluation.
TEST_F(ControllerDefectsTest, AStatusIsNoReasonToEvaluate) {
  support::Channel<int> begun;
  support::Channel<int> go_on;
  source_.on_gather = [&] {
    begun.Push(1);
    go_on.Pop();
    go_on.Push(1);
    throw std::runtime_error("enough");
  };
  Start();
  controller_.Start();
  EXPECT_TRUE(begun.Pop()) << "whatever is added from here on waits";
  const auto added = [this](const char* times) {
    return Has("workqueue_adds_total{name=\"autoscalepolicy\",controller=\"autoscalepolicy\"} " +
               std::string(times));
  };
  EXPECT_TRUE(added("1"));
  api::Autoscaler web = autoscaler_.object;
  api::Autoscaler other = web;
  other.metadata.name = other.spec.scale_target_ref.name = other.metadata.uid = "other";
  const auto tell_status = [this](const char* type, api::Autoscaler& policy) {
    ++policy.status.current_replicas;
    Deliver(type, policy);
  };
  tell_status("MODIFIED", web);
  tell_status("ADDED", other);
  tell_status("MODIFIED", other);
  EXPECT_TRUE(added("2")) << "the new one, and not that whose status changed";
  web.metadata.annotations["ballast.dev/paused-until"] = "2099-01-01T00:00:00Z";
  tell_status("MODIFIED", web);
  tell_status("MODIFIED", other);
  EXPECT_TRUE(added("3")) << "the one that was paused";
  go_on.Push(1);
  controller_.Stop();
}

}  // namespace
}  // namespace ballast::controllers
