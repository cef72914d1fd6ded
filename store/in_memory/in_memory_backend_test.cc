#include "store/in_memory/in_memory_backend.h"

#include <gtest/gtest.h>

#include "store/fold/ledger_state.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::kWritten;
using testing::Recommended;

TEST(InMemoryBackend, ALedgerGoesOnFromIt) {
  InMemoryBackend backend;
  LedgerState state;
  const auto append = [&](const Record& record) {
    ASSERT_TRUE(backend.Apply(state.Apply(record)).ok());
    ASSERT_TRUE(backend.Apply(state.Beat()).ok());
  };
  state.Adopt(backend.Open({})->state);
  append(Evaluated{EvaluationOf("web", 0, 5, 5), Recommended({{At(0), 5}}), nullptr});
  append(Intended{EvaluationOf("web", 15, 5, 6)});
  append(Concluded{2, kWritten, At(16), Recommended({{At(15), 6}}), nullptr});
  append(PodsReady{"uid-web", At(20)});
  append(Intended{EvaluationOf("web", 30, 6, 9)});

  LedgerState next;
  next.Adopt(backend.Open({})->state);
  ASSERT_EQ(next.open_intents().size(), 1U);
  EXPECT_EQ(next.open_intents()[0].to, 9);
  const auto web = next.Recall("uid-web", At(1'000)).value();
  EXPECT_EQ(web.memory, Recommended({{At(30 + 15 + 5), 6}}));  // as after a crash
  EXPECT_EQ(web.last_evaluation, At(30));                      // from the journal
  EXPECT_FALSE(web.replicas);
  EXPECT_EQ(web.last_write->to, 6);
  EXPECT_TRUE(web.last_write->ready);
  EXPECT_EQ(next.newest(), 3);
}

}  // namespace
}  // namespace ballast::store
