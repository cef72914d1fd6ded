#include "api/autoscaling/override.h"

#include <gtest/gtest.h>

#include <string>

#include "api/autoscaling/strict_fields.h"
#include "api/json/json.h"

namespace ballast::api {
namespace {

constexpr Time kMade{1'772'625'600, 0};  // 2026-03-04T12:00:00Z

std::string Object(const std::string& spec) {
  return R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScaleOverride","metadata":{)"
         R"("name":"sale","namespace":"shop","creationTimestamp":"2026-03-04T12:00:00Z"},)"
         R"("spec":{"target":{"kind":"AutoScalePolicy","name":"web"},)" +
         spec + "}}";
}

// The first complaint about the object, of its shape or else of what it says.
std::string Complaint(const std::string& text, Duration longest = kUsualLongestOverride) {
  const auto document = json::Parse(text);
  json::Decoder decoder(document.value());
  const FieldErrors shape = CheckFields(decoder.root(), OverrideSchema(), Origin::kCustomResource);
  if (!shape.empty()) {
    return Print(shape.front());
  }
  AutoScaleOverride override;
  Decode(decoder.root(), override);
  EXPECT_TRUE(decoder.status().ok()) << text;
  const FieldErrors errors = CheckOverride(override, longest);
  return errors.empty() ? "" : Print(errors.front());
}

// The same of one that has this instead of a target.
std::string ComplaintAbout(const std::string& subject) {
  std::string text = Object(R"("until":"2026-03-04T14:00:00Z","reason":"sale","pin":7)");
  const std::string target = R"("target":{"kind":"AutoScalePolicy","name":"web"},)";
  return Complaint(text.replace(text.find(target), target.size(), subject));
}

TEST(Override, IsAboutOneAutoscalerOrThoseOfASelector) {
  const std::string target = R"("target":{"kind":"AutoScalePolicy","name":"web"},)";
  const std::string selector = R"("selector":{"kind":"AutoScalePolicy",)";
  const char* const empty =
      "spec.selector: must name labels, in matchLabels or matchExpressions: it would match all";
  const struct {
    std::string subject;
    const char* complaint;
  } kCases[] = {
      {selector + R"("matchLabels":{"tier":"web"}},)", ""},
      {selector + R"("matchExpressions":[{"key":"tier","operator":"Exists"}]},)", ""},
      {target + selector + R"("matchLabels":{"tier":"web"}},)",
       "spec: must have exactly one of target and selector"},
      {"", "spec: must have exactly one of target and selector"},
      {R"("selector":{"kind":"AutoScalePolicy"},)", empty},
      {selector + R"("matchLabels":{}},)", empty},
      {selector + R"("matchExpressions":[{"key":"tier","operator":"Near"}]},)",
       "spec.selector: \"Near\" is not a valid label selector operator"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ComplaintAbout(c.subject), c.complaint) << c.subject;
  }
}

TEST(Override, SelectsByNameOrLabels) {
  const auto read = [](const std::string& subject) {
    const auto document = json::Parse(R"({"metadata":{"name":"sale","namespace":"shop"},"spec":{)" +
                                      subject + R"(,"until":"2026-03-04T14:00:00Z","pin":7}})");
    json::Decoder decoder(document.value());
    AutoScaleOverride override;
    Decode(decoder.root(), override);
    EXPECT_TRUE(decoder.status().ok()) << subject;
    return override;
  };
  const AutoScaleOverride named = read(R"("target":{"kind":"AutoScalePolicy","name":"web"})");
  const AutoScaleOverride labels =
      read(R"("selector":{"kind":"AutoScalePolicy","matchLabels":{"tier":"web"}})");
  const AutoScaleOverride wrong =
      read(R"("selector":{"kind":"AutoScalePolicy","matchLabels":{"tier":"?"}})");
  const ObjectMeta web{.name = "web", .namespace_ = "shop"};
  const ObjectMeta tier{.name = "api", .namespace_ = "shop", .labels = {{"tier", "web"}}};
  const ObjectMeta elsewhere{.name = "web", .namespace_ = "bank", .labels = {{"tier", "web"}}};
  EXPECT_TRUE(named.Selects(web));
  EXPECT_FALSE(named.Selects(tier));
  EXPECT_FALSE(named.Selects(elsewhere));
  EXPECT_FALSE(labels.Selects(web));
  EXPECT_TRUE(labels.Selects(tier));
  EXPECT_FALSE(labels.Selects(elsewhere));
  EXPECT_FALSE(wrong.Selects(tier));
}

TEST(Override, SaysWhatIsWrong) {
  const std::string until = R"("until":"2026-03-04T14:00:00Z")";
  const std::string reason = R"(,"reason":"sale")";
  const struct {
    const char* name;
    std::string spec;
    const char* complaint;
  } kCases[] = {
      {"a pin", until + reason + R"(,"pin":7)", ""},
      {"a floor", until + reason + R"(,"floor":7)", ""},
      {"a ceiling", until + reason + R"(,"ceiling":7)", ""},
      {"a hold", until + reason + R"(,"hold":"ScaleDown")", ""},
      {"seven days", R"("until":"2026-03-11T12:00:00Z","pin":7)" + reason, ""},
      {"seven days, later",
       R"("from":"2026-04-01T12:00:00Z","until":"2026-04-08T12:00:00Z","pin":7)" + reason, ""},
      {"too long", R"("until":"2026-03-11T12:00:01Z","pin":7)" + reason,
       "spec.until: must be at most 168h after 2026-03-04T12:00:00Z, when it begins, which is the "
       "longest that this installation allows; for longer, change the autoscaler's spec"},
      {"too long, later",
       R"("from":"2026-04-01T12:00:00Z","until":"2026-04-08T12:00:01Z","pin":7)" + reason,
       "spec.until: must be at most 168h after 2026-04-01T12:00:00Z, when it begins, which is the "
       "longest that this installation allows; for longer, change the autoscaler's spec"},
      {"over when it is made", R"("until":"2026-03-04T12:00:00Z","pin":7)" + reason,
       "spec.until: must be later than 2026-03-04T12:00:00Z, when it begins"},
      {"over before it begins",
       R"("from":"2026-03-05T12:00:00Z","until":"2026-03-05T11:00:00Z","pin":7)" + reason,
       "spec.until: must be later than 2026-03-05T12:00:00Z, when it begins"},
      {"a blank reason", until + R"(,"pin":7,"reason":" \t")",
       "spec.reason: must say why, for whoever finds the override"},
      {"no type", until + reason, "spec: must have exactly one of pin, floor, ceiling and hold"},
      {"two types", until + reason + R"(,"pin":7,"hold":"All")",
       "spec: must have exactly one of pin, floor, ceiling and hold"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Complaint(Object(c.spec)), c.complaint) << c.name;
  }
  EXPECT_EQ(Complaint(Object(until + reason + R"(,"pin":7,"mood":"good")")),
            "spec.mood: is not known here; remove it, or check its spelling and where it stands");
}

TEST(Override, LastsAsLongAsTheInstallationAllows) {
  const std::string object = Object(R"("until":"2026-03-04T14:00:00Z","reason":"sale","pin":7)");
  EXPECT_EQ(Complaint(object, Duration::Seconds(7200)), "");
  EXPECT_EQ(Complaint(object, Duration::Seconds(5400)),
            "spec.until: must be at most 1h30m after 2026-03-04T12:00:00Z, when it begins, which "
            "is the longest that this installation allows; for longer, change the autoscaler's "
            "spec");
}

// What the API server checks by the schema.
TEST(Override, HasBoundsInItsSchema) {
  const SchemaField& spec = *OverrideSchema().Find("spec");
  EXPECT_EQ(spec.Find("floor")->minimum, 1);
  for (const char* name : {"pin", "ceiling"}) {
    EXPECT_EQ(spec.Find(name)->minimum, 0) << name;
  }
  for (const char* name : {"until", "reason"}) {
    EXPECT_TRUE(spec.Find(name)->required) << name;
  }
  EXPECT_EQ(spec.Find("hold")->allowed.size(), 3U);
  EXPECT_EQ(spec.rules.front().expression, "self == oldSelf");
}

TEST(Override, NeverCountsBeforeItWasMade) {
  AutoScaleOverride override;
  override.metadata.creation_timestamp = kMade;
  EXPECT_EQ(override.start(), kMade);
  override.spec.from = kMade - Duration::Seconds(60);
  EXPECT_EQ(override.start(), kMade);
  override.spec.from = kMade + Duration::Seconds(60);
  EXPECT_EQ(override.start(), kMade + Duration::Seconds(60));
}

// Whatever the time says that somebody has written.
TEST(Override, EndsByItselfOrWhenTheOperatorSeesItsEarlyEnd) {
  const auto read = [](const std::string& more) {
    const auto document = json::Parse(
        R"({"metadata":{"creationTimestamp":"2026-03-04T12:00:00Z"},"spec":{"target":{)"
        R"("kind":"AutoScalePolicy","name":"web"},"until":"2026-03-04T14:00:00Z","pin":7})" +
        more + "}");
    json::Decoder decoder(document.value());
    AutoScaleOverride override;
    Decode(decoder.root(), override);
    EXPECT_TRUE(decoder.status().ok()) << more;
    return override;
  };
  const struct {
    const char* more;
    const char* end;
    bool is_over;  // when it was made
  } kCases[] = {
      {"", "2026-03-04T14:00:00Z", false},
      {R"(,"ended":"2026-03-04T13:00:00Z")", "2026-03-04T14:00:00Z", true},
      {R"(,"ended":"now")", "2026-03-04T14:00:00Z", true},
      {R"(,"ended":"2026-03-05T12:00:00Z","status":{"ended":"2026-03-04T12:30:00Z"})",
       "2026-03-04T12:30:00Z", true},
  };
  for (const auto& c : kCases) {
    const AutoScaleOverride override = read(c.more);
    EXPECT_EQ(Print(override.end()), c.end) << c.more;
    EXPECT_EQ(override.IsOver(kMade), c.is_over) << c.more;
    EXPECT_TRUE(override.IsOver(override.spec.until)) << c.more;
  }
  // What a rule cannot read as a time would keep the object from being written.
  EXPECT_EQ(OverrideSchema().rules.front().expression, "!has(oldSelf.ended) || has(self.ended)");
  EXPECT_EQ(OverrideSchema().Find("ended")->type, SchemaField::Type::kString);
  EXPECT_EQ(OverrideSchema().Find("ended")->minimum, 1);
}

TEST(Override, ReadsWhatItPrints) {
  for (const std::string subject :
       {R"("target":{"kind":"HorizontalPodAutoscaler","name":"web"})",
        R"("selector":{"kind":"AutoScalePolicy","matchLabels":{"tier":"web"},)"
        R"("matchExpressions":[{"key":"a","operator":"In","values":["b"]}]})"}) {
    const std::string spec = "{" + subject +
                             R"(,"from":"2026-03-04T13:00:00Z","until":"2026-03-04T14:00:00Z",)" +
                             R"("reason":"sale","owner":"alice","hold":"All"})";
    const auto document = json::Parse(R"({"spec":)" + spec + "}");
    json::Decoder decoder(document.value());
    AutoScaleOverride override;
    Decode(decoder.root(), override);
    ASSERT_TRUE(decoder.status().ok());
    json::Writer out;
    Encode(out, override.spec);
    EXPECT_EQ(out.Take(), spec);
  }
}

}  // namespace
}  // namespace ballast::api
