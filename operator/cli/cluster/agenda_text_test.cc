#include "operator/cli/cluster/agenda_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "operator/cli/commands.h"
#include "operator/cli/testing/run.h"

namespace ballast::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPolicy = R"(apiVersion: ballast.dev/v1alpha1
kind: AutoScalePolicy
metadata:
  name: web
  namespace: asp
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 50
  schedules:
  - {name: office-hours, timeZone: Europe/Berlin, days: [Mon-Fri], from: "08:00", to: "18:00", minReplicas: 5}
  - {name: night, timeZone: Europe/Berlin, from: "22:00", to: "06:00", maxReplicas: 8}
  - {name: freeze, timeZone: UTC, cron: "0 9 27 11 *", duration: 2h, hold: All}
)";

testing::Answer Ask(std::vector<std::string> words) {
  words.insert(words.end(), {"-f", "-", "--utc", "--from", "2026-11-27T00:00:00Z"});
  return testing::Run(AddSchedule, words, kPolicy);
}

TEST(Schedule, IsALineForEachSpell) {
  const auto answer = Ask({"--next", "1d"});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_EQ(
      answer.out,
      "FROM (UTC)           LASTS  MIN  MAX  HOLD  OPEN                  CHANGE\n"
      "2026-11-27 00:00:00  5h     2    8    -     night                 -\n"
      "2026-11-27 05:00:00  2h     2    50   -     -                     night ends at 06:00 in "
      "Europe/Berlin\n"
      "2026-11-27 07:00:00  2h     5    50   -     office-hours          office-hours starts at "
      "08:00 in Europe/Berlin\n"
      "2026-11-27 09:00:00  2h     5    50   All   office-hours, freeze  freeze starts at 09:00 in "
      "UTC\n"
      "2026-11-27 11:00:00  6h     5    50   -     office-hours          freeze ends at 11:00 in "
      "UTC\n"
      "2026-11-27 17:00:00  4h     2    50   -     -                     office-hours ends at "
      "18:00 "
      "in Europe/Berlin\n"
      "2026-11-27 21:00:00  3h     2    8    -     night                 night starts at 22:00 in "
      "Europe/Berlin\n");
}

TEST(Schedule, IsAPicture) {
  schedules::Agenda agenda;
  const Time midnight = *ParseTime("2026-11-27T00:00:00Z");
  const auto after = [&](int hours) { return midnight + Duration::Seconds(hours * 3600); };
  agenda.spells = {{midnight, after(6), {2, 50}, {}, {}, {}, {}},
                   {after(6), after(18), {5, 50}, {}, {"day"}, {"day"}, {}},
                   {after(18), after(24), {2, 50}, {}, {}, {}, {"day"}}};
  api::AutoscalerSpec spec;
  spec.schedules = {{.name = "day"}};
  EXPECT_EQ(AgendaPlot(agenda, spec, {61, false, Zone::kUtc}),
            "2026-11-27 00:00:00 to 2026-11-28 00:00:00 UTC\n"
            "day          ............########################............\n"
            "maxReplicas  50\n"
            "minReplicas  2           5                       2\n"
            "                         |           |           |\n"
            "                         06:00       12:00       18:00\n");
}

TEST(Schedule, ThePictureHasHolds) {
  const auto answer = Ask({"--next", "1d", "-o", "plot"});
  EXPECT_THAT(answer.out, ::testing::ContainsRegex("\nhold          - +All +-\n"));
}

TEST(Schedule, ThePicturesLabelsAreApart) {
  schedules::Agenda agenda;
  const Time midnight = *ParseTime("2026-11-27T00:00:00Z");
  agenda.spells = {
      {midnight, midnight + Duration::Seconds(366LL * 24 * 3600), {2, 50}, {}, {}, {}, {}}};
  for (const std::size_t width : {61, 80, 100}) {
    const std::string picture = AgendaPlot(agenda, {}, {width, false, Zone::kUtc});
    EXPECT_THAT(picture, HasSubstr("12-17 ")) << width;
    EXPECT_THAT(picture, ::testing::Not(::testing::ContainsRegex("-[0-9][0-9][0-9]"))) << width;
  }
}

TEST(Schedule, AYearOfOneDigitHasTimesToo) {
  const auto answer = testing::Run(
      AddSchedule, {"-f", "-", "--utc", "--from", "0001-01-02T00:00:00Z", "--next", "1d"}, kPolicy);
  EXPECT_THAT(answer.out, HasSubstr("night starts at 22:00 in Europe/Berlin"));
}

TEST(Schedule, IsAnObject) {
  const auto answer = Ask({"--next", "5h", "-o", "json"});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_THAT(
      answer.out,
      HasSubstr(R"("complete":true,"unknownTimeZones":[],"spells":[)"
                R"({"start":"2026-11-27T00:00:00Z","end":"2026-11-27T05:00:00Z","minReplicas":2,)"
                R"("maxReplicas":8,"hold":"","open":["night"]}]})"));
}

TEST(Schedule, TheSpanIsChecked) {
  for (const char* wrong :
       {"", "d", "soon", "-1h", "0s", "0d", "1d2d", "367d", "8785h", "99999d"}) {
    const auto answer = Ask({"--next", wrong});
    EXPECT_EQ(answer.status, ExitStatus::kUsedWrong) << wrong;
    EXPECT_THAT(answer.error, HasSubstr("--next")) << wrong;
  }
  EXPECT_THAT(Ask({"--next", "7"}).error, HasSubstr("needs a unit, as in 7m, 7h or 7d"));
  EXPECT_EQ(Ask({"--next", "1d12h"}).status, ExitStatus::kDone);
}

TEST(Schedule, APolicyThatIsNotInTheFileIsToldAndOneWithoutSchedulesHasOneSpell) {
  const struct {
    std::vector<std::string> words;
    const char* error;  // empty: it is found
  } kCases[] = {
      {{"asp/other"}, "- has no AutoScalePolicy other"},
      {{"hpa/web"}, "hpa/web is a HorizontalPodAutoscaler, which has no schedules"},
      {{"-n", "shop"}, "- has no AutoScalePolicy in namespace shop"},
      {{"web", "-n", "shop"}, "- has no AutoScalePolicy web in namespace shop"},
      {{"shop/web"}, "- has no AutoScalePolicy web in namespace shop"},
      {{"web", "-n", "asp"}, ""},
  };
  for (const auto& c : kCases) {
    const auto answer = Ask(c.words);
    const bool found = *c.error == '\0';
    EXPECT_EQ(answer.status, found ? ExitStatus::kDone : ExitStatus::kFoundWrong) << c.error;
    EXPECT_THAT(answer.error, HasSubstr(c.error));
  }
  std::string plain = kPolicy;
  plain.resize(plain.find("  schedules:"));
  const auto answer = testing::Run(AddSchedule, {"-f", "-"}, plain);
  EXPECT_EQ(answer.status, ExitStatus::kDone);
  EXPECT_THAT(answer.error, HasSubstr("asp/web has no schedules"));
}

TEST(Schedule, OfAFileRefusesWhatTheOperatorDoesNotGoOnWithAndWarnsOfTheRest) {
  const struct {
    const char* schedule;
    ExitStatus status;
    const char* error;
  } kCases[] = {
      {R"(  - {name: noon, timeZone: UTC, from: "12:00", to: "13:00", maxReplicas: 60})",
       ExitStatus::kFoundWrong, "stdin: spec.schedules[3].maxReplicas"},
      {R"(  - {name: late, timeZone: Europe/Berlin, from: "23:00", to: "01:00", minReplicas: 9})"
       "\n"
       R"(  - {name: never, timeZone: Europe/Berlin, from: "23:30", to: "00:30", maxReplicas: 6})",
       ExitStatus::kDone,
       "stdin: AutoScalePolicy asp/web: warning: spec.schedules[4].maxReplicas: never counts: 6 is "
       "less than the minReplicas 9 of the schedule \"late\""},
      // Its windows are left out, as they are of one that is stored.
      {R"(  - {name: lost, timeZone: Europe/Berln, from: "12:00", to: "13:00", minReplicas: 9})",
       ExitStatus::kFoundWrong,
       "stdin: AutoScalePolicy asp/web: warning: spec.schedules[3].timeZone: is not "
       "known here; did you mean Europe/Berlin"},
  };
  for (const auto& c : kCases) {
    const auto answer = testing::Run(AddSchedule, {"-f", "-"}, std::string(kPolicy) + c.schedule);
    EXPECT_EQ(answer.status, c.status) << c.error;
    EXPECT_THAT(answer.error, HasSubstr(c.error));
  }
}

}  // namespace
}  // namespace ballast::cli
