#include "api/autoscaling/pause_annotation.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ballast::api {
namespace {

using Annotations = std::map<std::string, std::string>;

const std::string kSix = "2026-11-23T06:00:00Z";

Autoscaler With(const char* kind, const Annotations& annotations) {
  Autoscaler autoscaler{.kind = kind};
  autoscaler.metadata.annotations = annotations;
  return autoscaler;
}

Time At(const std::string& text) { return ParseTime(text).value(); }

TEST(PauseOf, IsWhatTheAnnotationsSayOfBothKinds) {
  const struct {
    const char* about;
    Annotations annotations;
    std::string says;   // at noon of the day before; empty: no pause
    std::string wrong;  // what CheckPause finds
  } kCases[] = {
      {"none", {}, "", ""},
      {"until", {{kPausedUntil, kSix}}, "scaling is paused until " + kSix, ""},
      {"in another zone",
       {{kPausedUntil, "2026-11-23T07:00:00+01:00"}},
       "scaling is paused until " + kSix,
       ""},
      {"in",
       {{kPausedUntil, kSix}, {kPausedDirection, "In"}},
       "scale-in is paused until " + kSix,
       ""},
      {"out, by somebody",
       {{kPausedUntil, kSix}, {kPausedDirection, "Out"}, {kPausedBy, "alice"}},
       "alice paused scale-out until " + kSix,
       ""},
      {"both, with all there is",
       {{kPausedUntil, kSix},
        {kPausedDirection, "Both"},
        {kPausedBy, "alice"},
        {kPausedReason, "black friday"}},
       "alice paused scaling until " + kSix + ": black friday",
       ""},
      {"empty texts",
       {{kPausedUntil, kSix}, {kPausedBy, ""}, {kPausedReason, ""}},
       "scaling is paused until " + kSix,
       ""},
      {"texts that do not fit on a line",
       {{kPausedUntil, kSix}, {kPausedBy, "a\nb"}, {kPausedReason, "\x1b[31m"}},
       "a b paused scaling until " + kSix + ": \uFFFD[31m",
       ""},
      {"another direction",
       {{kPausedUntil, kSix}, {kPausedDirection, "in"}},
       "scaling is paused until " + kSix,
       "metadata.annotations[ballast.dev/paused-direction]"},
      {"not a time",
       {{kPausedUntil, "tomorrow"}},
       "",
       "metadata.annotations[ballast.dev/paused-until]"},
      {"a day",
       {{kPausedUntil, "2026-11-23"}},
       "",
       "metadata.annotations[ballast.dev/paused-until]"},
      {"empty", {{kPausedUntil, ""}}, "", "metadata.annotations[ballast.dev/paused-until]"},
      {"over", {{kPausedUntil, "2026-11-22T11:59:59Z"}}, "", ""},
      {"removed early", {{kPausedBy, "alice"}, {kPausedDirection, "In"}}, "", ""},
  };
  for (const char* kind : {kPolicyKind, kHpaKind}) {
    for (const auto& c : kCases) {
      const Autoscaler autoscaler = With(kind, c.annotations);
      const auto pause = PauseOf(autoscaler, At("2026-11-22T12:00:00Z"));
      EXPECT_EQ(pause ? Print(*pause) : "", c.says) << c.about;
      const FieldErrors errors = CheckPause(autoscaler);
      EXPECT_EQ(errors.empty() ? "" : errors.front().field, c.wrong) << c.about;
      EXPECT_EQ(PauseHasNoEnd(autoscaler), c.wrong.ends_with("paused-until]")) << c.about;
    }
  }
}

TEST(PauseOf, EndsAtItsEnd) {
  const Autoscaler autoscaler = With(kPolicyKind, {{kPausedUntil, kSix}});
  EXPECT_TRUE(PauseOf(autoscaler, At(kSix) - Duration{1}));
  EXPECT_FALSE(PauseOf(autoscaler, At(kSix)));
}

TEST(PauseOf, ShowsTextsOfAnyLengthShortened) {
  const std::string endless(100'000, 'x');
  const auto pause = PauseOf(
      With(kPolicyKind, {{kPausedUntil, kSix}, {kPausedBy, endless}, {kPausedReason, endless}}),
      Time());
  ASSERT_TRUE(pause);
  EXPECT_LT(Print(*pause).size(), 500U);
  EXPECT_TRUE(pause->by.ends_with("xxx..."));
}

TEST(Pause, HoldsOneDirectionOrBoth) {
  const struct {
    bool in;
    bool out;
  } kCases[] = {{true, true}, {true, false}, {false, true}};
  for (const auto& c : kCases) {
    const Pause pause{.until = {}, .in = c.in, .out = c.out, .by = "", .reason = ""};
    EXPECT_EQ(pause.Holds(4, 3), c.in);
    EXPECT_EQ(pause.Holds(4, 5), c.out);
    EXPECT_FALSE(pause.Holds(4, 4));
  }
}

}  // namespace
}  // namespace ballast::api
