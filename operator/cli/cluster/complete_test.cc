#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/commands.h"
#include "operator/cli/testing/test_records.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CompleteTest : public testing::RecordsTest {
 protected:
  // What comes before the tab of each line.
  std::vector<std::string> Complete(std::vector<std::string> words) {
    EXPECT_TRUE(ledger_->Flush().ok());
    flags::Command program;
    ExitStatus status = ExitStatus::kUsedWrong;
    AddWhy(program, status);
    AddGet(program, status);
    AddCompletion(program, status);
    AddComplete(program, status);
    words.insert(words.begin(), {"__complete", "--"});
    ::testing::internal::CaptureStdout();
    EXPECT_TRUE(program.Parse(std::move(words)).ok());
    std::istringstream lines(::testing::internal::GetCapturedStdout());
    EXPECT_EQ(status, ExitStatus::kDone);
    std::vector<std::string> texts;
    for (std::string line; std::getline(lines, line);) {
      texts.push_back(line.substr(0, line.find('\t')));
    }
    return texts;
  }

  void Record(const std::string& namespace_, const std::string& name, const std::string& kind) {
    auto evaluation = store::testing::EvaluationOf(name, 0, 5, 5);
    evaluation.subject = {"uid-" + namespace_ + name + kind, kind, {namespace_, name}};
    ledger_->Append(store::Evaluated{evaluation, {}, nullptr});
  }
};

TEST_F(CompleteTest, NamesOfTheLedger) {
  Record("shop", "web", "AutoScalePolicy");
  Record("shop", "web", "HorizontalPodAutoscaler");
  Record("shop", "api", "HorizontalPodAutoscaler");
  Record("blog", "web", "AutoScalePolicy");
  const struct {
    std::vector<std::string> words;  // after --store
    std::vector<std::string> found;
  } kCases[] = {
      {{""}, {"blog/web", "shop/api", "shop/web"}},
      {{"shop/a"}, {"shop/api"}},
      {{"-n", "shop", ""}, {"asp/web", "hpa/api", "hpa/web"}},
      {{"-n", "shop", "hpa/w"}, {"hpa/web"}},
      {{"-n", ""}, {"blog", "shop"}},
      {{"-n", "s"}, {"shop"}},
      {{"--namespace=s"}, {"--namespace=shop"}},
      {{"shop/web", ""}, {}},
      {{"x"}, {}},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> words = {"why", "--store", path_};
    words.insert(words.end(), c.words.begin(), c.words.end());
    EXPECT_EQ(Complete(words), c.found) << ::testing::PrintToString(c.words);
  }
}

TEST_F(CompleteTest, OfEachLedger) {
  Record("shop", "web", "AutoScalePolicy");
  const std::string other = folder_.Path("other");
  auto ledger = store::testing::OpenLedger(other).value();
  ledger->Append(store::Evaluated{store::testing::EvaluationOf("late", 0, 5, 5), {}, nullptr});
  ASSERT_TRUE(ledger->Flush().ok());
  EXPECT_THAT(Complete({"why", "--store", path_, "--store", other, "-n", "shop", "asp/"}),
              ElementsAre("asp/late", "asp/web"));
}

TEST_F(CompleteTest, WithoutALedgerOrACluster) {
  EXPECT_THAT(Complete({"why", "--store", folder_.Path("none"), ""}), IsEmpty());
  EXPECT_THAT(Complete({"get", "--kubeconfig", folder_.Path("none"), ""}), IsEmpty());
  EXPECT_THAT(Complete({"why", "--store", ""}), ElementsAre(":files"));
  EXPECT_THAT(Complete({""}), ElementsAre("why", "get", "completion"));
}

}  // namespace
}  // namespace ballast::cli
