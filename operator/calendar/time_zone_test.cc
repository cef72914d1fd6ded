#include "operator/calendar/time_zone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ballast::calendar {
namespace {

using testing::StartsWith;

TEST(TimeZoneTest, KnowsTheZonesOfTheDatabaseAndNoOtherFile) {
  for (const char* name : {"Europe/Berlin", "UTC", "Etc/GMT+3", "America/Argentina/Ushuaia"}) {
    EXPECT_TRUE(TimeZone::Find(name)) << name;
  }
  for (const char* name :
       {"", "Europe/Atlantis", "europe/berlin", "Europe", "Europe/", "Europe//Berlin", "Factory",
        "localtime", "posix/UTC", "right/UTC", "zone.tab", "tzdata.zi", "/etc/passwd",
        "../../../etc/passwd", "UTC/../UTC", "file:/etc/localtime", "CET\n", "<+03>-3"}) {
    EXPECT_FALSE(TimeZone::Find(name)) << name;
  }
}

TEST(TimeZoneTest, EachNameIsAZone) {
  const std::vector<std::string> names = ZoneNames();
  EXPECT_GT(names.size(), 400U);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const std::string& name : names) {
    EXPECT_TRUE(TimeZone::Find(name)) << name;
  }
}

TEST(TimeZoneTest, TheDatabaseHasAVersion) {
  EXPECT_TRUE(DatabaseVersion().starts_with("20")) << DatabaseVersion();
}

TEST(TimeZoneTest, AnUnknownZoneIsToldWithNearNames) {
  EXPECT_EQ(CheckZone("Europe/Berlin"), "");
  EXPECT_THAT(CheckZone("Europe/Berln"),
              StartsWith("is not known here; did you mean Europe/Berlin"));
  EXPECT_THAT(CheckZone("Kolkata"), StartsWith("is not known here; did you mean Asia/Kolkata"));
  EXPECT_EQ(CheckZone("CET-1CEST"), "is not known here");
  EXPECT_EQ(CheckZone("Middle-earth/The Shire of Hobbits"), "is not known here");
}

TEST(TimeZoneTest, AZoneHasSeveralNames) {
  const struct {
    const char* one;
    const char* other;
    bool same;
  } kCases[] = {
      {"UTC", "UTC", true},
      {"UTC", "Etc/UTC", true},
      {"Zulu", "Etc/UCT", true},
      {"Asia/Calcutta", "Asia/Kolkata", true},
      {"Europe/Berlin", "Europe/Paris", false},
      {"Asia/Kolkata", "Asia/Colombo", false},  // by the same clock today
      {"Europe/Atlantis", "Europe/Atlantis", true},
      {"Europe/Atlantis", "Europe/Lemuria", false},
      {"../zoneinfo/UTC", "UTC", false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(IsSameZone(c.one, c.other), c.same) << c.one << " " << c.other;
    EXPECT_EQ(IsSameZone(c.other, c.one), c.same) << c.one << " " << c.other;
  }
}

TEST(TimeZoneTest, PrintsInTheZone) {
  EXPECT_EQ(TimeZone::Find("Asia/Kathmandu")->Print(Time(1'800'000'000, 0)),
            "2027-01-15T13:45:00+05:45");
}

}  // namespace
}  // namespace ballast::calendar
