#include "store/sqlite/views.h"

#include <gtest/gtest.h>

#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"
#include "tests/support/test_patience.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Folder;
using testing::kWritten;

// Queries that a person would type in a shell, in the order of the views.
TEST(Views, ShowNamesAndTimes) {
  const Folder folder;
  {
    auto ledger =
        testing::OpenLedger(folder.Path("db"), {.intent_timeout = support::Patience()}).value();
    auto evaluation = EvaluationOf("web", 0, 2, 5, "Up");
    evaluation.seen = evaluation.decided = At(0.25);
    const auto intent = ledger->AppendDurably(Intended{evaluation});
    ledger->Append(Concluded{intent.id, kWritten, At(0.5), {}, nullptr});
    auto quiet = EvaluationOf("web", 15, 5, 5);
    quiet.readings = {{"Resource/cpu", "Utilization", 48'000, At(10)}};
    ledger->Append(Evaluated{quiet, {}, nullptr});
    ledger->Append(ForeignChangeSeen{quiet.subject, {At(30), 5, 9, "kubectl", At(29)}});
    ledger->Append(
        EditSeen{quiet.subject, {At(31), "spec.maxReplicas", "10", "20", "kubectl", At(30)}});
    ledger->Append(TermSeen{"ballast-0", true, At(-1)});
  }
  const auto database = Database::Open(folder.Path("db"), Access::kRead).value();
  const struct {
    const char* question;
    const char* answer;
  } kCases[] = {
      {"SELECT time || ' ' || autoscaler || ' ' || current || ' ' || desired || ' ' || made_by"
       " || ' ' || outcome FROM decisions_utc WHERE outcome = 'written'",
       "2027-01-15 08:00:00 shop/web 2 5 attempted written"},
      {"SELECT current || ' ' || desired || ' ' || answers_ms || ' ' || written_ms"
       " FROM timelines_utc",
       "2 5 250 250"},
      {"SELECT metric || ' ' || low || ' ' || high FROM ranges_utc", "Resource/cpu 48.0 48.0"},
      {"SELECT noticed || ' ' || before || ' ' || after || ' ' || manager || ' ' || time"
       " FROM foreign_changes_utc",
       "2027-01-15 08:00:30 5 9 kubectl 2027-01-15 08:00:29"},
      {"SELECT noticed || ' ' || field || ' ' || before || ' ' || after || ' ' || manager || ' '"
       " || time FROM edits_utc",
       "2027-01-15 08:00:31 spec.maxReplicas 10 20 kubectl 2027-01-15 08:00:30"},
      {"SELECT leader || ' ' || since FROM terms_utc", "ballast-0 2027-01-15 07:59:59"},
      {"SELECT name || ' ' || (bytes > 500) || ' ' || coalesce(since, 'all') FROM namespaces_utc",
       "shop 1 all"},
  };
  for (const auto& c : kCases) {
    const auto answer = database->Text(c.question);
    ASSERT_TRUE(answer.ok()) << c.question << ": " << answer.error().message;
    EXPECT_EQ(*answer, c.answer);
  }
}

}  // namespace
}  // namespace ballast::store
