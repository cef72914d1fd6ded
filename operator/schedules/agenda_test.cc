#include "operator/schedules/agenda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ballast::schedules {
namespace {

using testing::ElementsAre;

api::AutoscalerSpec SpecOf(std::vector<api::Schedule> schedules) {
  api::AutoscalerSpec spec;
  spec.min_replicas = 2;
  spec.max_replicas = 50;
  spec.schedules = std::move(schedules);
  return spec;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : "+") + name;
  }
  return text;
}

std::vector<std::string> Texts(const Agenda& agenda) {
  std::vector<std::string> texts;
  for (const Spell& spell : agenda.spells) {
    texts.push_back(Print(spell.start) + " " + std::to_string(spell.bounds.min) + "-" +
                    std::to_string(spell.bounds.max) + (spell.held.up ? " up" : "") +
                    (spell.held.down ? " down" : "") + " [" + Joined(spell.open) + "] +" +
                    Joined(spell.started) + " -" + Joined(spell.ended));
  }
  return texts;
}

TEST(AgendaTest, HasASpellForEachSetOfOpenWindows) {
  const api::AutoscalerSpec spec = SpecOf({
      {.name = "day",
       .time_zone = "Europe/Berlin",
       .from = "08:00",
       .to = "18:00",
       .min_replicas = 5},
      {.name = "night",
       .time_zone = "Europe/Berlin",
       .from = "18:00",
       .to = "08:00",
       .max_replicas = 0},
      {.name = "freeze",
       .time_zone = "UTC",
       .cron = "0 9 28 11 *",
       .duration = "2h",
       .hold = "ScaleDown"},
  });
  const Agenda agenda =
      MakeAgenda(spec, *ParseTime("2026-11-27T12:00:00Z"), *ParseTime("2026-11-28T12:00:00Z"));
  EXPECT_THAT(Texts(agenda), ElementsAre("2026-11-27T12:00:00Z 5-50 [day] + -",
                                         "2026-11-27T17:00:00Z 0-0 [night] +night -day",
                                         "2026-11-28T07:00:00Z 5-50 [day] +day -night",
                                         "2026-11-28T09:00:00Z 5-50 down [day+freeze] +freeze -",
                                         "2026-11-28T11:00:00Z 5-50 [day] + -freeze"));
  EXPECT_TRUE(agenda.complete);
  EXPECT_EQ(Print(agenda.spells.back().end), "2026-11-28T12:00:00Z");
}

TEST(AgendaTest, EndsBeforeItIsTooLong) {
  const api::AutoscalerSpec spec = SpecOf({{.name = "often",
                                            .time_zone = "UTC",
                                            .cron = "*/2 * * * *",
                                            .duration = "1m",
                                            .min_replicas = 5}});
  const Agenda agenda =
      MakeAgenda(spec, *ParseTime("2026-11-27T00:00:00Z"), *ParseTime("2026-12-27T00:00:00Z"));
  EXPECT_EQ(agenda.spells.size(), kMostSpells);
  EXPECT_FALSE(agenda.complete);
}

TEST(AgendaTest, TellsSchedulesWhoseZoneIsUnknown) {
  const api::AutoscalerSpec spec = SpecOf({{.name = "day",
                                            .time_zone = "Europe/Atlantis",
                                            .from = "08:00",
                                            .to = "18:00",
                                            .min_replicas = 5}});
  const Agenda agenda =
      MakeAgenda(spec, *ParseTime("2026-11-27T00:00:00Z"), *ParseTime("2026-11-28T00:00:00Z"));
  EXPECT_THAT(Texts(agenda), ElementsAre("2026-11-27T00:00:00Z 2-50 [] + -"));
  ASSERT_EQ(agenda.lost.size(), 1U);
  EXPECT_EQ(agenda.lost.front().name, "day");
}

}  // namespace
}  // namespace ballast::schedules
