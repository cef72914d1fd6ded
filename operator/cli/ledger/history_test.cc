#include "operator/cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "api/decision/engine_version.h"
#include "operator/cli/ledger/history_print.h"
#include "operator/cli/ledger/history_writer.h"
#include "operator/cli/testing/test_records.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::cli {
namespace {

using store::Disposition;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Times are seconds after 2027-01-15T08:00:00Z.
store::Entry EntryAt(double from, double until, std::int32_t current, std::int32_t desired,
                     Disposition disposition) {
  store::Entry entry;
  entry.id = 7;
  entry.subject = {"uid-web", "AutoScalePolicy", {"shop", "web"}};
  entry.time = store::testing::At(from);
  entry.until = store::testing::At(until);
  entry.current_replicas = current;
  entry.desired_replicas = desired;
  entry.reason = "ScaleUp";
  entry.message = "cpu above target";
  entry.disposition = disposition;
  return entry;
}

std::string Printed(HistoryFormat format, const std::vector<explain::Line>& lines) {
  HistoryWriter writer({.format = format, .zone = Zone::kUtc}, SubjectsOf(lines));
  const std::string text = writer.Add(lines);
  return text + writer.End();
}
std::string HistoryTable(const std::vector<explain::Line>& lines) {
  return Printed(HistoryFormat::kTable, lines);
}
std::string HistoryCsv(const std::vector<explain::Line>& lines) {
  return Printed(HistoryFormat::kCsv, lines);
}

TEST(HistoryTable, OneLineEach) {
  auto scaled = EntryAt(0, 0, 2, 5, Disposition::kWritten);
  auto quiet = EntryAt(15, 3735, 5, 5, Disposition::kNone);
  quiet.evaluations = 249;
  auto failed = EntryAt(4000, 4000, 5, 12, Disposition::kFailed);
  failed.error = "forbidden\nby quota";
  auto open = EntryAt(4015, 4060, 12, 12, Disposition::kNone);
  open.open = true;
  EXPECT_EQ(HistoryTable({scaled, quiet, failed, open}),
            "TIME (UTC)           REPLICAS  OUTCOME  LASTED       WHY\n"
            "2027-01-15 08:00:00  2 -> 5    written               ScaleUp: cpu above target\n"
            "2027-01-15 08:00:15  5                  1h2m (249x)  ScaleUp: cpu above target\n"
            "2027-01-15 09:06:40  5 -> 12   failed                ScaleUp: cpu above target: "
            "forbidden by quota\n"
            "2027-01-15 09:06:55  12                 45s so far   ScaleUp: cpu above target\n");
}

// What a metrics source or an API server wrote is not for the terminal to obey.
TEST(HistoryTable, HasNoControlCharacters) {
  const std::string title = "\x1b]0;x\x07";
  auto failed = EntryAt(0, 0, 2, 5, Disposition::kFailed);
  failed.error = "forbidden\r\nby " + title;
  const store::Subject web = failed.subject;
  const auto table = HistoryTable(
      {failed, explain::Gap{store::testing::At(10), store::testing::At(60), "by " + title},
       store::ForeignChangeEntry{web, {store::testing::At(70), 2, 5, title, {}}},
       store::EditEntry{web, {store::testing::At(80), "spec.x", title, "9", title, {}}, 8}});
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
  EXPECT_THAT(table, Not(HasSubstr("\x07")));
  EXPECT_THAT(table, Not(HasSubstr("\r")));
  EXPECT_EQ(std::ranges::count(table, '\n'), 5);
}

TEST(HistoryCsv, NamesThePodAlsoIfItHasNothingYet) {
  HistoryWriter writer({.format = HistoryFormat::kCsv, .zone = Zone::kUtc, .pods = true}, {});
  EXPECT_THAT(writer.Add({}), ::testing::EndsWith(",error,pod\r\n"));
  auto scaled = EntryAt(0, 0, 2, 5, Disposition::kWritten);
  scaled.ledger = "b/one";
  EXPECT_THAT(writer.Add({scaled}), ::testing::EndsWith(",b/one\r\n"));
}

TEST(HistoryTable, NamesTheAutoscalersWhenThereAreSeveral) {
  auto other = EntryAt(0, 0, 2, 5, Disposition::kDryRun);
  other.subject.key.name = "api";
  const auto table = HistoryTable({EntryAt(0, 0, 2, 5, Disposition::kWritten), other});
  EXPECT_THAT(table, HasSubstr("AUTOSCALER"));
  EXPECT_THAT(table, HasSubstr("shop/api"));
}

TEST(HistoryTable, NamesTheKindsWhenThereAreTwo) {
  auto hpa = EntryAt(0, 0, 2, 5, Disposition::kObserved);
  hpa.subject.kind = "HorizontalPodAutoscaler";
  const auto table = HistoryTable({hpa, EntryAt(60, 60, 5, 6, Disposition::kWritten)});
  EXPECT_THAT(table, HasSubstr("HorizontalPodAutoscaler shop/web  2 -> 5    observed"));
  EXPECT_THAT(table, HasSubstr("AutoScalePolicy shop/web          5 -> 6    written"));
}

TEST(HistoryCsv, QuotesWhatItMust) {
  auto failed = EntryAt(0, 0, 5, 12, Disposition::kFailed);
  failed.error = "quota \"pods\", exceeded";
  EXPECT_EQ(HistoryCsv({failed, explain::Gap{store::testing::At(0), store::testing::At(60),
                                             "no operator"}}),
            "time,until,evaluations,kind,namespace,name,uid,id,currentReplicas,desiredReplicas,"
            "outcome,reason,message,error\r\n"
            "2027-01-15T08:00:00Z,2027-01-15T08:00:00Z,,AutoScalePolicy,shop,web,uid-web,7,5,12,"
            "failed,ScaleUp,cpu above target,\"quota \"\"pods\"\", exceeded\"\r\n"
            "2027-01-15T08:00:00Z,2027-01-15T08:01:00Z,,,,,,,,,gap,,no operator,\r\n");
}

TEST(DescribeEdit, InWords) {
  const auto maker = [](const char* field, const char* before, const char* after,
                        const char* manager, std::optional<Time> managed) {
    return store::Edit{store::testing::At(60), field, before, after, manager, managed};
  };
  const struct {
    store::Edit edit;
    const char* text;
  } kCases[] = {
      {maker("spec.maxReplicas", "10", "20", "kubectl", store::testing::At(59)),
       "spec.maxReplicas 10 -> 20 by kubectl at 08:00:59"},
      {maker("spec.minReplicas", "", "2", "helm", {}), "spec.minReplicas (none) -> 2 by helm"},
      {maker("spec.minReplicas", "2", "", "", {}), "spec.minReplicas 2 -> (none)"},
      {maker("3 more fields", "", "", "helm", {}), "3 more fields by helm"},
      {maker("spec", "", "", "", {}), "spec, while this operator did not watch it"},
      {maker("spec", "", "", "helm", store::testing::At(-60)),
       "spec by helm at 07:59:00, while this operator did not watch it"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(DescribeEdit(c.edit, Zone::kUtc), c.text);
  }
}

TEST(History, AnEditIsALine) {
  const store::EditEntry edited{
      {"uid-web", "AutoScalePolicy", {"shop", "web"}},
      {store::testing::At(5), "spec.minReplicas", "", "2", "kubectl-edit", store::testing::At(4)},
      7};
  const std::vector<explain::Line> lines = {edited, EntryAt(6, 6, 1, 2, Disposition::kWritten)};
  EXPECT_EQ(HistoryTable(lines),
            "TIME (UTC)           REPLICAS  OUTCOME  LASTED  WHY\n"
            "2027-01-15 08:00:05            edited           spec.minReplicas (none) -> 2 by "
            "kubectl-edit at 08:00:04\n"
            "2027-01-15 08:00:06  1 -> 2    written          ScaleUp: cpu above target\n");
  EXPECT_THAT(HistoryCsv(lines),
              HasSubstr("\r\n2027-01-15T08:00:05Z,2027-01-15T08:00:05Z,,AutoScalePolicy,shop,web,"
                        "uid-web,7,,,edit,,spec.minReplicas (none) -> 2 by kubectl-edit at "
                        "08:00:04,\r\n"));
  EXPECT_THAT(
      Printed(HistoryFormat::kJson, lines),
      HasSubstr(R"([{"edit":{"kind":"AutoScalePolicy","namespace":"shop","name":"web","uid":)"
                R"("uid-web","time":"2027-01-15T08:00:05Z","field":"spec.minReplicas","before":"",)"
                R"("after":"2","manager":"kubectl-edit","managed":"2027-01-15T08:00:04Z",)"
                R"("decision":7}},{"id":7,)"));
}

// A table has one zone in its heading, and CSV the texts as they are.
TEST(History, ZonesAndTextsAreTrue) {
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  std::vector<explain::Line> lines;
  for (const char* time : {"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"}) {
    store::Entry entry = EntryAt(0, 0, 5, 5, Disposition::kNone);
    entry.time = entry.until = ParseTime(time).value();
    lines.emplace_back(entry);
  }
  HistoryWriter writer({.zone = Zone::kLocal}, SubjectsOf(lines));
  EXPECT_EQ(writer.Add(lines),
            "TIME (CET)                REPLICAS  OUTCOME  LASTED  WHY\n"
            "2026-10-25 02:30:00 CEST  5                          ScaleUp: cpu above target\n"
            "2026-10-25 02:30:00       5                          ScaleUp: cpu above target\n");
  unsetenv("TZ");
  tzset();

  store::ForeignChangeEntry change{{"uid-web", "AutoScalePolicy", {"shop", "web"}}, {}};
  change.change.manager = "a\x1b[31m";
  EXPECT_THAT(HistoryCsv({change}), HasSubstr("a\uFFFD[31m set the replicas"));
  EXPECT_THAT(HistoryTable({change}), Not(HasSubstr("\x1b")));
}

testing::Answer History(std::vector<std::string> arguments) {
  return testing::Run(AddHistory, std::move(arguments));
}

TEST(History, TellsWhatTheLedgerRecorded) {
  const store::testing::Folder folder;
  const std::string path = folder.Path("db");
  EXPECT_EQ(History({"--store", path}).status, ExitStatus::kUsedWrong);
  std::ofstream(path).close();
  EXPECT_EQ(History({"--store", path}).out, "Nothing is recorded yet.\n");

  auto ledger = store::testing::OpenLedger(path);
  ASSERT_TRUE(ledger.ok());
  const auto intent =
      (*ledger)->AppendDurably(store::Intended{store::testing::EvaluationOf("web", 0, 2, 5, "Up")});
  (*ledger)->Append(store::Concluded{intent.id,
                                     {engine::Outcome::Kind::kFailed, "forbidden"},
                                     store::testing::At(1),
                                     {},
                                     nullptr});
  ASSERT_TRUE((*ledger)->Flush().ok());

  // The operator still has the store open.
  EXPECT_THAT(History({"shop/web", "--store", path, "--utc"}).out,
              HasSubstr("2027-01-15 08:00:00  2 -> 5    failed           Up: because of Up: "
                        "forbidden\n"));
  EXPECT_EQ(History({"shop/web", "--store", path, "-o", "json"}).out,
            R"([{"id":1,"kind":"AutoScalePolicy","namespace":"shop","name":"web",)"
            R"("uid":"uid-web","time":"2027-01-15T08:00:00Z","until":"2027-01-15T08:00:00Z",)"
            R"("open":false,"evaluations":1,"currentReplicas":2,"desiredReplicas":5,)"
            R"("reason":"Up","message":"because of Up","madeBy":"attempted",)"
            R"("outcome":"failed","engineVersion":)" +
                std::to_string(engine::kEngineVersion) +
                R"(,"error":"forbidden",)"
                R"("settled":"2027-01-15T08:00:01Z"}])"
                "\n");
  EXPECT_EQ(History({"--store", path, "--since", "2027-01-15T08:00:01Z"}).out,
            "Nothing is recorded in this time.\n");
  EXPECT_EQ(History({"--store", path, "-n", "shpo"}).out,
            "Nothing is recorded in namespace shpo.\n");

  const auto wrong = History({"shop/wbe", "--store", path});
  EXPECT_EQ(wrong.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(wrong.error,
            "ballast history: nothing is recorded of \"shop/wbe\"; did you mean shop/web?\n");
  EXPECT_THAT(History({"--store", path, "--since", "yesterday"}).error,
              HasSubstr("--since: \"yesterday\" is neither a time"));
  const auto reversed = History(
      {"--store", path, "--since", "2027-01-15T08:00:01Z", "--until", "2027-01-15T08:00:00Z"});
  EXPECT_EQ(reversed.error, "ballast history: --since is not before --until\n");
  EXPECT_EQ(reversed.status, ExitStatus::kUsedWrong);
}

class Recorded : public testing::RecordsTest {
 protected:
  // Evaluations every 15 s from `from` to `to` that change nothing.
  void Stay(const std::string& name, double from, double to, const std::string& kind) {
    for (double t = from; t <= to; t += 15) {
      auto evaluation = store::testing::EvaluationOf(name, t, 5, 5);
      evaluation.subject.kind = kind;
      evaluation.seen = evaluation.time;
      last_ = {name, t};
      ledger_->Append(store::Evaluated{evaluation, {}, nullptr});
    }
  }
  std::string Show(std::vector<std::string> arguments) {
    return Ask(AddHistory, std::move(arguments)).out;
  }

  void Kill() {
    ASSERT_TRUE(ledger_->Flush().ok());
    // One more evaluation, so that the heartbeat is on disk for certain.
    Stay(last_.first, last_.second, last_.second, "AutoScalePolicy");
    store::testing::Kill(ledger_, path_);
  }
  void Restart(double seconds) { store::testing::Restart(ledger_, path_, seconds); }
  void Late(double seconds, double took) {
    ledger_->Append(
        store::Evaluated{store::testing::LateEvaluationOf("web", seconds, took), {}, nullptr});
  }

 private:
  std::pair<std::string, double> last_;
};

// Once an autoscaler is late again and again, no evaluation has a line of its own.
TEST_F(Recorded, ARunOfLateEvaluationsTellsItsLongestGap) {
  double t = 0;
  for (int i = 0; i < 11; ++i) {
    Late(t += 60, 59);
  }
  Late(t += 60, 129);
  Late(t += 130, 69);
  Late(t += 70, 59);
  const auto evaluation = store::testing::EvaluationOf("web", t + 60, 7, 7);
  ledger_->Append(store::Evaluated{evaluation, {}, nullptr});
  ASSERT_TRUE(ledger_->Flush().ok());
  const std::string shown = Show({"shop/web", "--no-headers"});
  EXPECT_EQ(std::ranges::count(shown, '\n'), 11 + 10 + 1 + 1 + 1) << shown;
  const std::string late = "it was evaluated late: the requests of the evaluation before it took ";
  for (const std::string& part :
       {std::string("  4m20s (4x)  "), std::string("2027-01-15 08:12:00     -- gap --  2m10s  "),
        late + "2m9s, the longest for cpu; shorter ones of that run are not listed\n" +
            "2027-01-15 08:15:20     -- gap --  1m  ",
        late + "59s, the longest for cpu\n" + "2027-01-15 08:16:20  7  "}) {
    EXPECT_THAT(shown, HasSubstr(part));
  }
  EXPECT_THAT(Show({"--no-headers"}), Not(HasSubstr("shorter ones")));
}

TEST_F(Recorded, ADryRunThatCannotReadTheScaleAsksForNothing) {
  auto snapshot = testing::WebAt(0, 3, "60");
  snapshot.autoscaler.spec.mode = "DryRun";
  snapshot.autoscaler.status.current_replicas = 3;
  snapshot.scale = engine::Failure{"too many requests"};
  web_.Evaluate(snapshot);
  EXPECT_THAT(Show({"shop/web", "--no-headers"}),
              StartsWith("2026-03-04 12:00:00  3  dry run    FailedGetScale: "));
  EXPECT_THAT(Show({"shop/web", "-o", "json"}),
              HasSubstr(R"("currentReplicas":3,"desiredReplicas":3,)"));
}

TEST_F(Recorded, GapsAreMarked) {
  Stay("web", 0, 60, "AutoScalePolicy");
  Stay("api", 0, 300, "AutoScalePolicy");
  ledger_->Append(store::TermSeen{"ballast-0", true, store::testing::At(61)});
  Stay("web", 180, 300, "AutoScalePolicy");
  ledger_.reset();
  ledger_ = std::move(store::testing::OpenLedger(path_)).value();
  Stay("web", 900, 930, "AutoScalePolicy");
  const auto web = Show({"shop/web"});
  EXPECT_THAT(web, HasSubstr("2027-01-15 08:01:00            -- gap --  2m          it was not "
                             "evaluated although other policies were; the store does not say "
                             "why\n"));
  EXPECT_THAT(web, HasSubstr("2027-01-15 08:05:00            -- gap --  10m         nothing was "
                             "evaluated; the store does not say why\n"));
  // Over all autoscalers there is only the second gap.
  const auto all = Show({"-o", "json"});
  EXPECT_THAT(all, Not(HasSubstr("although other policies were")));
  EXPECT_THAT(all, HasSubstr(R"({"gap":{"from":"2027-01-15T08:05:00Z","to":"2027-01-15T08:15:00Z",)"
                             R"("cause":"nothing was evaluated; the store does not say why"}})"));
}

// An autoscaler that is evaluated once an hour cannot show that the process ended; the others can.
TEST_F(Recorded, WhatWasKilledIsNotSaidToHaveStayed) {
  const auto evaluate = [&](double seconds) {
    auto evaluation = store::testing::EvaluationOf("web", seconds, 5, 5);
    evaluation.period = Duration::Seconds(3'600);
    ledger_->Append(store::Evaluated{evaluation, {}, nullptr});
  };
  const auto known_until = [&](std::size_t i) {
    return store::Reader::Open(path_)
        .value()
        ->Entries({.key = api::ObjectKey{"shop", "web"}})
        .value()
        .at(i)
        .known_until();
  };
  Restart(0);
  evaluate(0);
  Stay("api", 0, 600, "AutoScalePolicy");
  Kill();
  EXPECT_EQ(known_until(0), store::testing::At(600 + 2 * 15));
  Restart(7'000);
  evaluate(7'005);
  EXPECT_EQ(known_until(0), store::testing::At(600 + 30));
  EXPECT_THAT(Show({"shop/web"}), HasSubstr("no operator was running with this store"));

  // A process that restarts at once leaves no gap.
  Stay("api", 7'000, 7'200, "AutoScalePolicy");
  Kill();
  Restart(7'210);
  evaluate(10'605);
  EXPECT_EQ(known_until(1), store::testing::At(7'195 + 2 * 3'600));
}

TEST_F(Recorded, AutoscalersAreNamedAsKubectlDoes) {
  const auto record = [&](const char* namespace_, const char* name, const char* kind) {
    auto evaluation = store::testing::EvaluationOf(name, 0, 5, 5);
    evaluation.subject = {std::string("uid-") + namespace_ + name + kind, kind, {namespace_, name}};
    ledger_->Append(store::Evaluated{evaluation, {}, nullptr});
  };
  record("shop", "web", "AutoScalePolicy");
  record("shop", "web", "HorizontalPodAutoscaler");
  record("shop", "api", "AutoScalePolicy");
  record("hpa", "web", "AutoScalePolicy");
  const struct {
    std::vector<std::string> arguments;
    std::vector<std::string> found;  // "asp shop/web"
    const char* error;
  } kCases[] = {
      {{"shop/web"}, {"asp shop/web", "hpa shop/web"}, ""},
      {{"web", "-n", "shop"}, {"asp shop/web", "hpa shop/web"}, ""},
      {{"shop/web", "-n", "shop"}, {"asp shop/web", "hpa shop/web"}, ""},
      {{"asp/web", "-n", "shop"}, {"asp shop/web"}, ""},
      {{"HPA/web", "--namespace", "shop"}, {"hpa shop/web"}, ""},
      {{"hpa/web", "-n", "hpa"}, {}, "nothing is recorded of HorizontalPodAutoscaler \"hpa/web\""},
      {{"web", "-n", "hpa"}, {"asp hpa/web"}, ""},
      {{"-n", "shop"}, {"asp shop/api", "asp shop/web", "hpa shop/web"}, ""},
      {{"-n", "shop", "--kind", "hpa"}, {"hpa shop/web"}, ""},
      {{"-A"}, {"asp hpa/web", "asp shop/api", "asp shop/web", "hpa shop/web"}, ""},
      {{}, {"asp hpa/web", "asp shop/api", "asp shop/web", "hpa shop/web"}, ""},
      {{"web"}, {}, "\"web\" has no namespace: give NAMESPACE/NAME, or -n; did you mean"},
      {{"asp/api"},
       {},
       "\"asp/api\" has no namespace: give NAMESPACE/NAME, or -n; did you mean "
       "shop/api?"},
      {{"shop/wbe"}, {}, "nothing is recorded of \"shop/wbe\"; did you mean shop/web"},
      {{"shop/web", "-n", "hpa"}, {}, "shop/web is not in the namespace that -n says"},
      {{"asp/web", "-n", "shop", "--kind", "hpa"},
       {},
       "asp/web is not of the kind that --kind says"},
      {{"-A", "shop/web"}, {}, "-A shows all autoscalers: give no name"},
      {{"a/b/c"}, {}, "\"a/b/c\" is not asp/NAME"},
  };
  for (const auto& c : kCases) {
    auto arguments = c.arguments;
    arguments.insert(arguments.end(), {"-o", "csv"});
    const auto answer = Ask(AddHistory, arguments);
    const std::string all = ::testing::PrintToString(c.arguments);
    std::vector<std::string> found;
    const std::regex line("(AutoScale|Horizontal)[A-Za-z]*,([a-z]*),([a-z]*),");
    for (auto match = std::sregex_iterator(answer.out.begin(), answer.out.end(), line);
         match != std::sregex_iterator(); ++match) {
      found.push_back(((*match)[1] == "AutoScale" ? "asp " : "hpa ") + (*match)[2].str() + "/" +
                      (*match)[3].str());
    }
    EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(c.found)) << all;
    EXPECT_EQ(answer.status, *c.error == '\0' ? ExitStatus::kDone : ExitStatus::kUsedWrong) << all;
    EXPECT_THAT(answer.error, HasSubstr(c.error)) << all;
  }
}

TEST_F(Recorded, OnlyTheNewest) {
  for (int i = 0; i < 1'010; ++i) {
    Stay("web", i * 15, i * 15, "AutoScalePolicy");
    ledger_->Append(
        store::Evaluated{store::testing::EvaluationOf("web", i * 15 + 5, 6, 6), {}, nullptr});
  }
  const auto lines = [](const testing::Answer& answer) {
    return std::ranges::count(answer.out, '\n');
  };
  const struct {
    std::vector<std::string> arguments;
    std::ptrdiff_t lines;
    const char* told;
  } kCases[] = {
      {{},
       1'001,
       "1020 earlier decisions, from 2027-01-15 08:00:00 UTC on, are left out: --limit 0"
       " shows all\n"},
      {{"--limit", "2"}, 3, "2018 earlier decisions, from "},
      {{"--limit", "2019"}, 2'020, "1 earlier decision, from 2027-01-15 08:00:00 UTC on, is left"},
      {{"--limit", "2020"}, 2'021, ""},
      {{"--limit", "0"}, 2'021, ""},
      {{"--limit", "0", "-n", "shop", "-o", "csv"}, 2'021, ""},
      {{"--limit", "2", "--changes-only"}, 1, ""},
      {{"--since", "2027-01-15T08:00:00Z"}, 2'021, ""},
      {{"--until", "2027-01-15T08:00:20Z"}, 5, ""},
      {{"--limit", "1", "--until", "2027-01-15T08:00:20Z", "--no-headers"}, 1, "3 earlier "},
  };
  for (const auto& c : kCases) {
    const auto answer = Ask(AddHistory, c.arguments);
    const std::string all = ::testing::PrintToString(c.arguments);
    EXPECT_EQ(lines(answer), c.lines) << all;
    EXPECT_THAT(answer.error,
                *c.told == '\0' ? ::testing::Matcher<std::string>(IsEmpty()) : HasSubstr(c.told))
        << all;
  }
  EXPECT_THAT(Ask(AddHistory, {"shop/web", "-o", "plot", "--limit", "1"}).error,
              HasSubstr("not for pictures"));
}

TEST_F(Recorded, WhatWasDeletedIsSaid) {
  Stay("web", 0, 4 * 3'600, "AutoScalePolicy");
  ledger_.reset();
  EXPECT_THAT(Ask(AddHistory, {}).error, IsEmpty());
  const auto database = store::Database::Open(path_, store::Access::kWrite).value();
  // At 09:00, and two other namespaces with less and with nothing deleted.
  ASSERT_TRUE(database
                  ->Execute("UPDATE namespaces SET since = 1800003600000000000;"
                            "INSERT INTO namespaces (name, since) VALUES"
                            " ('lab', 1800000060000000000), ('quiet', NULL)")
                  .ok());
  const std::string why = "(the operator's --store-max-age and --store-max-size)";
  const std::string gone = " is on record; earlier ones were deleted " + why;
  const struct {
    std::vector<std::string> asked;
    std::string told;
  } kCases[] = {
      {{"shop/web"}, "every evaluation in namespace shop since 2027-01-15 09:00:00 UTC" + gone},
      {{"-n", "shop"}, "every evaluation in namespace shop since 2027-01-15 09:00:00 UTC" + gone},
      {{"-n", "lab"}, "every evaluation in namespace lab since 2027-01-15 08:01:00 UTC" + gone},
      {{"-n", "quiet"}, ""},
      {{},
       "every evaluation since 2027-01-15 09:00:00 UTC" + gone +
           "; namespace shop reaches back the least"},
      {{"--since", "2027-01-15T09:00:00Z"}, ""},
      {{"--since", "2027-01-15T08:59:59Z", "-n", "shop"},
       "every evaluation in namespace shop since 2027-01-15 09:00:00 UTC" + gone},
      {{"shop/web", "-o", "plot"},
       "every evaluation in namespace shop since 2027-01-15 09:00:00 UTC" + gone},
      {{"lab/none"},
       "ballast history: nothing is recorded of \"lab/none\" (what was evaluated in its namespace"
       " before 2027-01-15T08:01:00Z was deleted: the operator's --store-max-age and"
       " --store-max-size)"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Ask(AddHistory, c.asked).error, c.told.empty() ? "" : c.told + "\n")
        << ::testing::PrintToString(c.asked);
  }
}

TEST_F(Recorded, EveryFormat) {
  Stay("web", 0, 30, "AutoScalePolicy");
  Stay("api", 5, 5, "HorizontalPodAutoscaler");
  EXPECT_EQ(Show({"-o", "wide"}),
            "TIME (UTC)           UNTIL                AUTOSCALER                        DECISION  "
            "REPLICAS  OUTCOME  LASTED      WHY\n"
            "2027-01-15 08:00:00  2027-01-15 08:00:30  AutoScalePolicy shop/web          1         "
            "5                  30s so far  DesiredWithinRange: because of DesiredWithinRange\n"
            "2027-01-15 08:00:05  2027-01-15 08:00:30  HorizontalPodAutoscaler shop/api  2         "
            "5                  25s so far  DesiredWithinRange: because of DesiredWithinRange\n");
  EXPECT_EQ(Show({"-o", "name"}),
            "autoscalepolicy.ballast.dev/web\nhorizontalpodautoscaler.autoscaling/api\n");
  EXPECT_THAT(Show({"-o", "yaml"}),
              AllOf(HasSubstr("- id: 1\n  kind: AutoScalePolicy\n"), HasSubstr("\n- id: 2\n")));
  EXPECT_EQ(Show({"-o", "yaml", "--changes-only"}), "[]\n");
  EXPECT_EQ(Show({"-o", "json", "--changes-only"}), "[]\n");
  EXPECT_EQ(Show({"-o", "name", "--changes-only"}), "");
  EXPECT_THAT(Show({"--no-headers"}), ::testing::StartsWith("2027-01-15 08:00:00  "));
  EXPECT_THAT(Show({"--no-headers", "-o", "csv"}), ::testing::StartsWith("2027-01-15T08:00:00Z,"));
}

TEST(HistoryTable, InColour) {
  const std::vector<explain::Line> lines = {EntryAt(0, 0, 2, 5, Disposition::kWritten),
                                            EntryAt(15, 15, 5, 6, Disposition::kFailed)};
  HistoryWriter writer({.zone = Zone::kUtc, .headers = false, .colour = true}, SubjectsOf(lines));
  EXPECT_EQ(writer.Add(lines),
            "2027-01-15 08:00:00  2 -> 5  \x1b[32mwritten\x1b[0m    ScaleUp: cpu above target\n"
            "2027-01-15 08:00:15  5 -> 6  \x1b[31mfailed\x1b[0m     ScaleUp: cpu above target\n");
}

TEST_F(Recorded, OnlyAKindOnlyChanges) {
  Stay("web", 0, 60, "AutoScalePolicy");
  Stay("old", 0, 60, "HorizontalPodAutoscaler");
  ledger_->AppendDurably(store::Intended{store::testing::EvaluationOf("web", 75, 5, 6, "Up")});
  EXPECT_THAT(Show({"--kind", "hpa"}), AllOf(Not(HasSubstr("AUTOSCALER")), HasSubstr("5     ")));
  EXPECT_THAT(Show({"--kind", "ASP", "-o", "csv"}), Not(HasSubstr("HorizontalPodAutoscaler")));
  EXPECT_EQ(Show({"--changes-only"}),
            "TIME (UTC)           REPLICAS  OUTCOME      LASTED  WHY\n"
            "2027-01-15 08:01:15  5 -> 6    in progress          Up: because of Up\n");
  EXPECT_EQ(Show({"--kind", "hpa", "--changes-only"}),
            "No change of replicas is recorded of HorizontalPodAutoscalers.\n");
  EXPECT_THAT(History({"shop/web", "--kind", "hpa", "--store", path_}).error,
              HasSubstr("nothing is recorded of HorizontalPodAutoscaler \"shop/web\""));
}

}  // namespace
}  // namespace ballast::cli
