// Plots of a history, as it is recorded, drawn and compared with what they should look like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "api/base/utf8.h"
#include "operator/cli/commands.h"
#include "operator/cli/ledger/history_plot.h"
#include "operator/cli/terminal/columns.h"
#include "operator/cli/testing/run.h"
#include "operator/cli/testing/test_records.h"
#include "operator/explain/plot_json.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::LinesOf;
using ::testing::Not;

class Plot : public testing::RecordsTest {
 protected:
  // An hour: a peak beyond maxReplicas, windows that hold the count, a gap, an edit, a change by
  // somebody else, and writes that fail.
  void RecordAnHour() {
    std::int32_t replicas = 2;
    for (std::int64_t second = 0; second <= 3600; second += 15) {
      if (second > 2700 && second < 3000) {
        continue;  // no operator ran
      }
      if (second == 3090) {
        replicas = 5;
        ledger_->Append(store::ForeignChangeSeen{
            kWeb, {testing::After(second), 3, replicas, "kubectl-scale", {}}});
      }
      auto snapshot = testing::WebAt(second, replicas, std::to_string(LoadAt(second)));
      snapshot.autoscaler.spec.min_replicas = 2;
      snapshot.autoscaler.spec.max_replicas = second < 600 ? 10 : 14;
      if (second == 600) {
        ledger_->Append(store::EditSeen{
            kWeb, {testing::After(second), "spec.maxReplicas", "10", "14", "kubectl-edit", {}}});
      }
      const bool broken = second >= 3300 && second < 3450;
      const auto conclusion =
          web_.Evaluate(std::move(snapshot),
                        {broken ? engine::Outcome::Kind::kFailed : engine::Outcome::Kind::kWritten,
                         broken ? "forbidden" : ""});
      if (conclusion.rescale && !broken) {
        replicas = conclusion.status.desired_replicas;
      }
    }
    EXPECT_TRUE(ledger_->Flush().ok());
  }

  static std::int64_t LoadAt(std::int64_t second) {
    if (second < 900) {
      return 18;
    }
    if (second < 1500) {
      return 20 + 26 * (second - 900) / 60;
    }
    return second < 2100 ? 90 : second < 3300 ? 30 : 80;
  }

  const store::Subject kWeb = {"uid-web", "AutoScalePolicy", {"shop", "web"}};

  std::string Draw(const PlotScreen& screen, Selection selection = {}) {
    if (selection.of.name.empty()) {
      selection.of.name = "shop/web";
    }
    selection.zone = screen.zone;
    const auto reader = store::Reader::Open(path_).value();
    const PictureStyle style{PictureFormat::kText, screen};
    const auto plot = ReadPlot(*reader, selection, ColumnsFor(style));
    return plot.ok() ? cli::Draw(*plot, style).text : plot.error().message;
  }
};

// Compares with the file, which has what was looked at and found right. With the variable
// BALLAST_WRITE_GOLDEN set, writes it instead.
void ExpectGolden(const std::string& text, const std::string& name) {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  ASSERT_NE(folder, nullptr);
  const std::string path = std::string(folder) + "/" + name;
  if (std::getenv("BALLAST_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
  }
  std::ifstream file(path);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

TEST_F(Plot, LooksAsItShould) {
  RecordAnHour();
  const struct {
    const char* file;
    PlotScreen screen;
  } kCases[] = {{"plot-80.txt", {80, true, Zone::kUtc}},
                {"plot-80-ascii.txt", {80, false, Zone::kUtc}},
                {"plot-200.txt", {200, true, Zone::kUtc}},
                {"plot-200-ascii.txt", {200, false, Zone::kUtc}}};
  for (const auto& c : kCases) {
    const std::string text = Draw(c.screen);
    ExpectGolden(text, c.file);
    for (const std::string& line : LinesOf(text)) {
      EXPECT_LE(WidthOf(line), c.screen.width) << line;
    }
    if (!c.screen.unicode) {
      EXPECT_TRUE(std::ranges::all_of(
          text, [](char byte) { return byte == '\n' || (byte >= ' ' && byte <= '~'); }));
    }
  }
}

TEST_F(Plot, FitsAnyWidth) {
  RecordAnHour();
  for (const std::size_t width : {1, 39, 40, 41, 79, 120, 500}) {
    for (const std::string& line : LinesOf(Draw({width, true, Zone::kUtc}))) {
      EXPECT_LE(WidthOf(line), std::max<std::size_t>(width, 40)) << line;
    }
  }
}

TEST_F(Plot, HasNoControlCharactersWhateverIsRecorded) {
  const std::string hostile = "alert\x01\xFF";
  auto evaluation = store::testing::EvaluationOf("web", 0, 2, 5, hostile);
  evaluation.message = hostile;
  evaluation.readings = {{hostile, hostile, 1000, {}}};
  const auto intent = ledger_->AppendDurably(store::Intended{evaluation});
  ledger_->Append(store::Concluded{
      intent.id, {engine::Outcome::Kind::kFailed, hostile}, store::testing::At(1), {}, nullptr});
  ledger_->Append(
      store::EditSeen{evaluation.subject, {evaluation.time, hostile, hostile, "", hostile, {}}});
  ledger_->Append(
      store::ForeignChangeSeen{evaluation.subject, {evaluation.time, 2, 3, hostile, {}}});
  for (const char* charset : {"ascii", "utf-8"}) {
    const auto plot = Ask(AddHistory, {"shop/web", "-o", "plot", "--charset", charset}).out;
    EXPECT_THAT(plot, AllOf(HasSubstr("alert"), Not(HasSubstr("\x01"))));
    EXPECT_EQ(FindInvalidUtf8(plot), plot.size());
  }
}

TEST_F(Plot, IsTheSameAsJson) {
  RecordAnHour();
  const auto answer = Ask(AddHistory, {"shop/web", "-o", "plot-json", "--columns", "66"});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  const auto reader = store::Reader::Open(path_).value();
  EXPECT_EQ(answer.out,
            explain::PlotJson(ReadPlot(*reader, {.of = {.name = "shop/web"}}, 66).value()) + "\n");
}

TEST_F(Plot, OfOneEvaluation) {
  web_.Evaluate(testing::WebAt(0, 2, "20"));
  EXPECT_TRUE(ledger_->Flush().ok());
  EXPECT_THAT(Draw({80, false, Zone::kUtc}), AllOf(HasSubstr("2026-03-04 12:00:00 to 12:01:"),
                                                   HasSubstr("External/queue: 10, target 10 -\n")));
}

TEST_F(Plot, RefusesWhatIsNotOneAutoscaler) {
  web_.Evaluate(testing::WebAt(0, 2, "20"));
  EXPECT_EQ(Ask(AddHistory, {"-o", "plot"}).error,
            "ballast history: a plot shows one autoscaler: give its NAMESPACE/NAME\n");
  const auto reversed =
      Ask(AddHistory, {"shop/web", "-o", "plot", "--since", "2026-03-04T12:00:01Z", "--until",
                       "2026-03-04T12:00:00Z"});
  EXPECT_EQ(reversed.error, "ballast history: --since is not before --until\n");
  EXPECT_EQ(reversed.status, ExitStatus::kUsedWrong);
}

TEST_F(Plot, SaysWhatADefaultLeavesOut) {
  web_.Evaluate(testing::WebAt(-2 * 86400, 2, "20"));
  web_.Evaluate(testing::WebAt(0, 2, "20"));
  const auto answer = Ask(AddHistory, {"shop/web", "-o", "plot", "--charset", "ascii"});
  EXPECT_THAT(answer.out, HasSubstr("2026-03-03 12:00:00 to 2026-03-04 12:0"));
  EXPECT_EQ(answer.error,
            "The history goes back to 2026-03-02 12:00:00 UTC: add --since 2026-03-02T12:00:00Z to "
            "see all of it.\n");
  const auto all = Ask(AddHistory, {"shop/web", "-o", "plot", "--since", "2026-03-02T12:00:00Z"});
  EXPECT_THAT(all.out, HasSubstr("2026-03-02 12:00:00 to 2026-03-04 12:0"));
  EXPECT_EQ(all.error, "");
}

TEST_F(Plot, TheCharsetFollowsTheLocale) {
  web_.Evaluate(testing::WebAt(0, 2, "20"));
  setenv("LC_ALL", "C", 1);
  EXPECT_THAT(Ask(AddHistory, {"shop/web", "-o", "plot"}).out, Not(HasSubstr("█")));
  EXPECT_THAT(Ask(AddHistory, {"shop/web", "-o", "plot", "--charset", "utf-8"}).out,
              HasSubstr("█"));
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  EXPECT_THAT(Ask(AddHistory, {"shop/web", "-o", "plot"}).out, HasSubstr("█"));
  unsetenv("LC_ALL");
}

}  // namespace
}  // namespace ballast::cli
