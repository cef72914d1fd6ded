#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using testing::MakePolicy;

TEST(Binding, NamesTheRuleThatSetTheCount) {
  Snapshot content = MakePolicy(4);
  Snapshot unlimited = MakePolicy(4);
  unlimited.metrics = {testing::QueueOf("60")};
  Snapshot maximum = MakePolicy(4);
  maximum.autoscaler.spec.max_replicas = 5;
  maximum.metrics = {testing::QueueOf("60")};
  Snapshot window = MakePolicy(4);
  window.metrics = {testing::QueueOf("20")};
  Snapshot bounds = MakePolicy(40);
  Snapshot sample = MakePolicy(4);
  sample.metrics = {testing::QueueOf("60", Ago(5))};
  sample.memory->used_samples = {{"External/queue", Ago(5)}};
  Snapshot unsettled = unlimited;
  unsettled.unsettled_write = UnsettledWrite{Ago(2), 4, 5};
  Snapshot failed = MakePolicy(4);
  failed.metrics = {Failure{"no answer"}};
  const struct {
    const Snapshot& snapshot;
    std::string rule;
  } kCases[] = {{content, ""},       {unlimited, ""},
                {maximum, "limits"}, {window, "stabilization"},
                {bounds, "bounds"},  {sample, "one scale-up a sample"},
                {unsettled, "hold"}, {failed, "evaluation"}};
  for (const auto& c : kCases) {
    const Decision decision = Decide(c.snapshot);
    const Step* step = BindingStep(decision.trace);
    EXPECT_EQ(step == nullptr ? "" : NameOf(step->rule), c.rule);
  }
}

}  // namespace
}  // namespace ballast::engine
