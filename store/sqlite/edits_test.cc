// Edits, and the decisions that they are joined to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite/reader.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Edits : public ::testing::Test {
 protected:
  // An evaluation of shop/NAME that changes nothing.
  void Stay(double seconds, std::int64_t generation, const std::string& name = "web") {
    EvaluationRecord evaluation = EvaluationOf(name, seconds, 5, 5);
    evaluation.generation = generation;
    ledger_->Append(Evaluated{evaluation, {}, nullptr});
  }
  void Edit(double seconds, const std::string& field, const std::string& name = "web") {
    ledger_->Append(EditSeen{EvaluationOf(name, seconds, 5, 5).subject,
                             {At(seconds), field, "10", "20", "kubectl", At(seconds - 1)}});
  }
  std::unique_ptr<Reader> Read() {
    EXPECT_TRUE(ledger_->Flush().ok());
    return Reader::Open(path_).value();
  }
  // "a 1, b -": each edit's field and decision.
  std::string Joined(const HistoryQuery& query = {}) {
    std::string text;
    const auto entries = Read()->Edits(query).value();
    for (const auto& entry : entries) {
      text += (text.empty() ? "" : ", ") + entry.edit.field + " " +
              (entry.decision ? std::to_string(*entry.decision) : "-");
    }
    return text;
  }
  // The fields that the decision in force at that time is the first one with.
  std::vector<std::string> Before(double seconds) {
    std::vector<std::string> fields;
    const auto found = Read()->Look({.key = api::ObjectKey{"shop", "web"}}, At(seconds)).value();
    for (const EditEntry& entry : found.edits) {
      fields.push_back(entry.edit.field);
    }
    return fields;
  }

  const testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
  std::unique_ptr<Ledger> ledger_ = testing::OpenLedger(path_, testing::Quick()).value();
};

TEST_F(Edits, AreKeptWhole) {
  Edit(10, "spec.maxReplicas");
  const auto edits = Read()->Edits({}).value();
  ASSERT_THAT(edits, SizeIs(1));
  EXPECT_EQ(edits[0].subject, EvaluationOf("web", 0, 0, 0).subject);
  EXPECT_EQ(edits[0].edit, (store::Edit{At(10), "spec.maxReplicas", "10", "20", "kubectl", At(9)}));
}

TEST_F(Edits, BelongToTheFirstDecisionWithThem) {
  Stay(0, 1);
  Stay(15, 1);
  Edit(20, "a");
  Edit(20, "b");
  Stay(20, 2);  // decision 2
  Stay(35, 2);
  EXPECT_EQ(Joined(), "a 2, b 2");
  EXPECT_THAT(Before(25), ::testing::ElementsAre("a", "b"));
  EXPECT_THAT(Before(36), ::testing::ElementsAre("a", "b")) << "it is still that decision";
  EXPECT_THAT(Before(16), IsEmpty());
}

TEST_F(Edits, ThatChangedNothingBelongToNoDecision) {
  Stay(0, 1);
  Edit(20, "a");
  Stay(20, 1);  // the run goes on
  EXPECT_EQ(Joined(), "a -") << "while the run is open";
  Stay(35, 2);
  EXPECT_EQ(Joined(), "a -");
  EXPECT_THAT(Before(36), IsEmpty());
}

TEST_F(Edits, WithoutADecisionSoonAfterBelongToNone) {
  Edit(0, "a");
  EXPECT_EQ(Joined(), "a -");
  Stay(100, 1);
  EXPECT_EQ(Joined(), "a -") << "what was decided in between may have been deleted";
}

TEST_F(Edits, AreThoseThatAreAskedFor) {
  Edit(0, "a");
  Edit(10, "b", "api");
  Edit(20, "c");
  EXPECT_EQ(Joined({.key = api::ObjectKey{"shop", "web"}}), "a -, c -");
  EXPECT_EQ(Joined({.since = At(5)}), "b -, c -");
  EXPECT_EQ(Joined({.until = At(10)}), "a -, b -");
  EXPECT_EQ(Joined({.kind = "HorizontalPodAutoscaler"}), "");
}

// So that an edit is known of that was made while no operator ran.
TEST_F(Edits, TheGenerationThatWasDecidedOnIsKnownAfterARestart) {
  Stay(0, 6);
  Stay(15, 7);
  EXPECT_EQ(ledger_->Recall("uid-web", At(16))->generation, 7);
  ledger_.reset();
  ledger_ = testing::OpenLedger(path_, testing::Quick()).value();
  EXPECT_EQ(ledger_->Recall("uid-web", At(16))->generation, 7);
}

}  // namespace
}  // namespace ballast::store
