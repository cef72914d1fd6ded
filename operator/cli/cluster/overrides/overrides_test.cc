#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "operator/cli/cluster/overrides/made_override.h"
#include "operator/cli/cluster/overrides/open_holds.h"
#include "operator/cli/cluster/overrides/override_objects.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cli/cluster/overrides/override_row.h"
#include "operator/cli/terminal/table.h"
#include "tests/support/fake_transport.h"

namespace ballast::cli {
namespace {

using ::testing::HasSubstr;

constexpr Time kNow(1'772'625'600, 500'000'000);  // 2026-03-04T12:00:00.5Z

TEST(OverrideRequest, SaysWhatTheOptionsMean) {
  using enum api::OverrideType;
  const struct {
    OverrideOptions options;
    const char* effect;
    const char* until;
  } kCases[] = {
      {{.type = kPin, .replicas = 7, .lasts = "2h", .reason = "sale"},
       "pin of 7",
       "2026-03-04T14:00:00Z"},
      {{.type = kCeiling, .replicas = 0, .lasts = "2h", .reason = "sale"},
       "ceiling of 0",
       "2026-03-04T14:00:00Z"},
      {{.type = kFloor, .replicas = 7, .lasts = "90m", .reason = "sale"},
       "floor of 7",
       "2026-03-04T13:30:00Z"},
      {{.type = kCeiling, .replicas = 7, .until = "2026-03-04T18:00:00+02:00", .reason = "sale"},
       "ceiling of 7",
       "2026-03-04T16:00:00Z"},
      {{.type = kHold, .lasts = "2h", .reason = "sale"}, "hold", "2026-03-04T14:00:00Z"},
      {{.type = kHold, .only = "in", .lasts = "2d", .reason = "sale"},
       "hold of scale-in",
       "2026-03-06T12:00:00Z"},
      {{.type = kHold,
        .only = "out",
        .from = "2026-03-06T12:00:00Z",
        .lasts = "2h",
        .reason = "sale"},
       "hold of scale-out",
       "2026-03-06T14:00:00Z"},
  };
  for (const auto& c : kCases) {
    const auto spec = ReadOverride(c.options, kNow);
    ASSERT_TRUE(spec.ok()) << c.effect << ": " << spec.error().message;
    EXPECT_EQ(Effect(*spec), c.effect);
    EXPECT_EQ(Print(spec->until), c.until) << c.effect;
  }
}

TEST(OverrideRequest, RefusesWhatIsWrong) {
  using enum api::OverrideType;
  const struct {
    OverrideOptions options;
    const char* error;
  } kCases[] = {
      {{.type = kFloor, .replicas = 0, .lasts = "2h", .reason = "x"},
       "REPLICAS: must be a number of replicas, 1 or more"},
      {{.type = kPin, .replicas = -1, .lasts = "2h", .reason = "x"},
       "REPLICAS: must be a number of replicas, 0 or more"},
      {{.type = kPin, .replicas = 3'000'000'000, .lasts = "2h", .reason = "x"},
       "REPLICAS: must be a number of replicas, 0 or more"},
      {{.type = kHold, .reason = "x"},
       "--for: give either it or --until: when does the override end?"},
      {{.type = kHold, .lasts = "2h", .until = "18:30", .reason = "x"},
       "--for: give either it or --until: when does the override end?"},
      {{.type = kHold, .lasts = "soon", .reason = "x"},
       "--for: \"soon\" is no span like 90m, 2h, 7d or 1d12h"},
      {{.type = kHold, .lasts = "-2h", .reason = "x"},
       "--for: \"-2h\" is no span like 90m, 2h, 7d or 1d12h"},
      {{.type = kHold, .lasts = "0d", .reason = "x"}, "--for: must be longer than 0d"},
      {{.type = kHold, .from = "tomorrow", .lasts = "2h", .reason = "x"},
       "--from: \"tomorrow\" is not a time (2026-04-08T14:05:00Z, \"2026-04-08 14:05\", 14:05, "
       "14:05+02:00)"},
      {{.type = kHold, .until = "2d", .reason = "x"},
       "--until: \"2d\" is a span: give a time, or the span by --for"},
      {{.type = kHold, .until = "2026-03-04T11:00:00Z", .reason = "x"},
       "--until: it would be over by now, 2026-03-04 12:00:00 UTC; a time of another day needs the "
       "date"},
      {{.type = kHold, .from = "2026-03-04T08:00:00Z", .lasts = "2h", .reason = "x"},
       "--from: it would be over by now, 2026-03-04 12:00:00 UTC; a time of another day needs the "
       "date"},
      {{.type = kHold, .until = "2h", .reason = "x"},
       "--until: \"2h\" is a span: give a time, or the span by --for"},
      {{.type = kHold, .from = "30m", .lasts = "2h", .reason = "x"},
       "--from: \"30m\" is a span: give a time, or the span by --for"},
      {{.type = kHold, .lasts = "2h", .reason = " "},
       "--reason: it is empty: say why, for whoever finds the override"},
      {{.type = kHold,
        .from = "2026-03-06T12:00:00Z",
        .until = "2026-03-05T12:00:00Z",
        .reason = "x"},
       "--until: it would end before it begins, by --from"},
  };
  for (const auto& c : kCases) {
    const auto spec = ReadOverride(c.options, kNow);
    ASSERT_FALSE(spec.ok()) << c.error;
    EXPECT_EQ(spec.error().message, c.error);
  }
}

TEST(OverrideRequest, PrintsAnObjectThatTheServerNames) {
  const auto spec = ReadOverride(
      {.type = api::OverrideType::kFloor, .replicas = 7, .lasts = "2h", .reason = "sale"}, kNow);
  api::OverrideSpec named = *spec;
  named.kind = api::kPolicyKind;
  named.name = "web";
  EXPECT_EQ(PrintOverride(named),
            R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScaleOverride","metadata":{)"
            R"("generateName":"web-floor-"},"spec":{"target":{"kind":"AutoScalePolicy",)"
            R"("name":"web"},"until":"2026-03-04T14:00:00Z","reason":"sale","floor":7}})");
  EXPECT_EQ(Describe(named, ""),
            "floor of 7 for asp/web until 2026-03-04T14:00:00Z, by unknown: sale");
  EXPECT_EQ(Describe(named, "alice"),
            "floor of 7 for asp/web until 2026-03-04T14:00:00Z, by alice: sale");
}

TEST(OverrideRequest, SelectsByLabels) {
  const struct {
    const char* kind;
    const char* labels;
    const char* target;  // or the error
  } kCases[] = {
      {"asp", "tier=web", "each asp with tier in (web)"},
      {"AutoScalePolicies", "tier!=web,canary", "each asp with canary,tier notin (web)"},
      {"hpa", "tier in (web,api),!canary", "each hpa with !canary,tier in (api,web)"},
      {"asp/web", "tier=web", "\"asp/web\" is not asp or hpa"},
      {"asp", "", "--selector: it must name a label"},
      {"asp", "size>3",
       "--selector: labels are compared by =, !=, in, notin, exists and !exists only"},
  };
  for (const auto& c : kCases) {
    api::OverrideSpec spec{.reason = "sale", .hold = "All"};
    const Status done = SelectBy(c.kind, c.labels, spec);
    EXPECT_EQ(done.ok() ? TargetName(spec) : done.error().message, c.target);
  }
}

TEST(OverrideObjects, ATargetNeedNotBeReadable) {
  const struct {
    const char* name;
    Code code;
    const char* error;
  } kCases[] = {
      {"not allowed", Code::kForbidden, ""},
      {"absent", Code::kNotFound, "there is no AutoScalePolicy web in namespace shop"},
  };
  for (const auto& c : kCases) {
    support::FakeTransport transport{[&](const kube::Request&) -> Result<kube::Response> {
      return Error{c.code, "no"};
    }};
    kube::Client client(transport);
    const auto target = FindTarget(client, {.kind = api::kPolicyKind, .name = "web"}, "shop");
    EXPECT_EQ(target.ok() ? "" : target.error().message, c.error) << c.name;
    EXPECT_FALSE(target.ok() && target->metadata) << c.name;
  }
}

TEST(OverrideObjects, ACreatedOneIsRead) {
  std::vector<kube::Request> requests;
  support::FakeTransport transport{[&](const kube::Request& request) -> Result<kube::Response> {
    requests.push_back(request);
    return kube::Response{
        201, R"({"metadata":{"name":"web-hold-1","namespace":"shop","uid":"u"},"spec":{"target":{)"
             R"("kind":"AutoScalePolicy","name":"web"},"until":"2026-03-04T14:00:00Z",)"
             R"("reason":"sale","owner":"alice","hold":"All"}})"};
  }};
  const auto made = CreateOverride(transport, "shop", {.kind = api::kPolicyKind, .hold = "All"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->spec.owner, "alice");
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].path, "/apis/ballast.dev/v1alpha1/namespaces/shop/autoscaleoverrides");
  EXPECT_FALSE(HasEnded(*made, kNow));
  EXPECT_TRUE(HasEnded(*made, made->spec.until));
}

// Whatever anybody has written as the owner, people see the one that the operator judged.
TEST(OverrideRow, HasTheObjectAsItIsAndTheJudgedOwnerInTheTable) {
  const auto object = json::Parse(
      R"({"metadata":{"name":"x","namespace":"shop","creationTimestamp":"2026-03-04T11:00:00Z"},)"
      R"("spec":{"target":{"kind":"AutoScalePolicy","name":"web"},)"
      R"("until":"2026-03-04T14:00:00Z","reason":"sale","owner":"somebody","pin":7},)"
      R"("ended":"now","status":{"phase":"Expired","message":"ended early","owner":"alice",)"
      R"("ended":"2026-03-04T11:59:00Z"}})");
  json::Decoder decoder(object.value());
  std::vector<api::AutoScaleOverride> all(2);
  api::Decode(decoder.root(), all[0]);
  all[1].metadata.name = "new";
  all[1].spec = {.kind = api::kPolicyKind, .name = "web", .until = kNow, .reason = "sale"};
  all[1].spec.owner = "somebody";
  all[1].spec.hold = "All";
  const auto list = [](RowFields& f, const api::AutoScaleOverride& one) { List(f, one, false); };
  json::Writer out;
  out.Object([&] { WriteObjects(out, "items", all, list); });
  EXPECT_EQ(out.Take(),
            R"({"items":[{"namespace":"shop","name":"x","spec":{"target":{)"
            R"("kind":"AutoScalePolicy","name":"web"},"until":"2026-03-04T14:00:00Z",)"
            R"("reason":"sale","owner":"somebody","pin":7},"ended":"now","status":{)"
            R"("phase":"Expired","message":"ended early","owner":"alice",)"
            R"("ended":"2026-03-04T11:59:00Z"}},{"namespace":"","name":"new","spec":{"target":{)"
            R"("kind":"AutoScalePolicy","name":"web"},"until":"2026-03-04T12:00:00.5Z",)"
            R"("reason":"sale","owner":"somebody","hold":"All"},"status":{}}]})");
  const std::string table = Align(RowsOf(all, true, list));
  EXPECT_THAT(table, HasSubstr("  OWNER    PHASE                  REASON\n"));
  EXPECT_THAT(table, HasSubstr("  alice    Expired (ended early)  sale\n"));
  EXPECT_THAT(table, HasSubstr("  unknown  not seen yet           sale\n"));
}

TEST(OverrideObjects, AreMarkedAsEndedOrDeleted) {
  api::AutoScaleOverride override;
  override.metadata = {.name = "x", .namespace_ = "shop", .uid = "u"};
  const struct {
    const char* name;
    const char* more;  // that the answer has
    std::size_t requests;
  } kCases[] = {
      {"marked", R"("ended":"2026-03-04T12:00:00Z",)", 1},
      {"the definition is older, and has no such field", "", 2},
  };
  for (const auto& c : kCases) {
    std::vector<kube::Request> requests;
    support::FakeTransport transport{[&](const kube::Request& request) -> Result<kube::Response> {
      requests.push_back(request);
      return kube::Response{
          200, "{" + std::string(c.more) +
                   R"("metadata":{"name":"x","namespace":"shop","uid":"u"},"spec":{"target":{)"
                   R"("kind":"AutoScalePolicy","name":"web"},"until":"2026-03-04T14:00:00Z",)"
                   R"("reason":"sale","hold":"All"}})"};
    }};
    EXPECT_TRUE(EndOverride(transport, override, kNow).ok()) << c.name;
    ASSERT_EQ(requests.size(), c.requests) << c.name;
    EXPECT_EQ(requests[0].method, kube::Method::kPatch) << c.name;
    EXPECT_EQ(requests[0].body, R"({"metadata":{"uid":"u"},"ended":"2026-03-04T12:00:00Z"})");
    if (c.requests == 2) {
      EXPECT_EQ(requests[1].method, kube::Method::kDelete);
      EXPECT_THAT(requests[1].body, HasSubstr(R"("preconditions":{"uid":"u"})"));
    }
  }
}

// An override with that spec and phase, as an item of a list.
std::string Item(const std::string& name, const std::string& spec, const std::string& phase) {
  return R"({"metadata":{"namespace":"shop","creationTimestamp":"2026-03-04T11:00:00Z","name":")" +
         name + R"("},"spec":{"target":{"kind":"AutoScalePolicy","name":"web"},)" + spec +
         R"(,"reason":"sale"},"status":{"phase":")" + phase + R"("}})";
}

TEST(OverrideObjects, OpenHoldsAreThoseThatResumeEnds) {
  const std::string until = R"("until":"2026-03-04T14:00:00Z")";
  const std::string ended = Item("ended", until + R"(,"hold":"All")", "Active");
  const std::string list =
      R"({"metadata":{},"items":[)" + Item("active", until + R"(,"hold":"All")", "Active") + "," +
      Item("superseded", until + R"(,"hold":"ScaleUp")", "Superseded") + "," +
      Item("not-seen", until + R"(,"hold":"ScaleDown")", "") + "," +
      Item("floor", until + R"(,"floor":3)", "Active") + "," +
      Item("over", R"("until":"2026-03-04T12:00:00Z","hold":"All")", "Expired") + "," +
      Item("soon-over", R"("until":"2026-03-04T12:00:00Z","hold":"All")", "Superseded") + "," +
      Item("begun", R"("from":"2026-03-04T12:01:00Z",)" + until + R"(,"hold":"All")", "Active") +
      "," + Item("invalid", until + R"(,"hold":"All")", "Invalid") + "," +
      R"({"metadata":{"namespace":"shop","name":"tier"},"spec":{"selector":{)"
      R"("kind":"AutoScalePolicy","matchLabels":{"tier":"web"}},)" +
      until + R"(,"reason":"sale","hold":"All"}},)" + ended.substr(0, ended.size() - 1) +
      R"(,"ended":"2026-03-04T11:59:00Z"},)" +
      Item("to-come", R"("from":"2026-03-04T13:00:00Z",)" + until + R"(,"hold":"All")", "Pending") +
      "]}";
  support::FakeTransport transport{[&](const kube::Request&) -> Result<kube::Response> {
    return kube::Response{200, list};
  }};
  const auto names = [&](const char* kind, const char* name, bool readable = true) {
    OverrideTarget target{
        {kind, "shop", name},
        api::ObjectMeta{.name = name, .namespace_ = "shop", .labels = {{"tier", name}}}};
    if (!readable) {
      target.metadata.reset();
    }
    const auto holds = OpenHolds(transport, target, kNow);
    std::string text;
    for (std::size_t i = 0; holds.ok() && i < holds->size(); ++i) {
      text += (*holds)[i].metadata.name + " ";
    }
    return text;
  };
  EXPECT_EQ(names(api::kPolicyKind, "web"), "soon-over active begun not-seen superseded tier ")
      << "the operator's phase beats the caller's clock";
  EXPECT_EQ(names(api::kPolicyKind, "other", false), "tier ") << "its labels may match";
  EXPECT_EQ(names(api::kHpaKind, "web"), "");
  EXPECT_EQ(names(api::kPolicyKind, "other"), "");
}

// API servers ask for the right first, then for the kind, and last for the namespace.
TEST(OverrideObjects, SayWhenTheClusterHasNone) {
  const Result<kube::Response> kServed =
      kube::Response{200, R"({"resources":[{"name":"autoscaleoverrides"}]})"};
  const Result<kube::Response> kOther =
      kube::Response{200, R"({"resources":[{"name":"autoscalepolicies"}]})"};
  const Error kNone{Code::kNotFound, "404 page not found"};
  const Error kNoRight{Code::kForbidden, "alice cannot create resource \"x\""};
  const std::string not_installed = "the CRD is not installed";
  const struct {
    Error refusal;
    Result<kube::Response> discovery;
    Code code;
    std::string all;  // of those that name a collection
    std::string one;
  } kCases[] = {
      {kNone, kNone, Code::kNotFound, not_installed, not_installed},
      {kNoRight, kOther, Code::kNotFound, not_installed, not_installed},
      {kNoRight, kServed, Code::kForbidden, "\"x\" (the ClusterRole", "\"x\" (the ClusterRole"},
      {kNoRight, Error{Code::kUnavailable, "down"}, Code::kForbidden, "\"x\" (the ClusterRole",
       "\"x\" (the ClusterRole"},
      {{Code::kNotFound, "namespaces \"shop\" not found"},
       kServed,
       Code::kUnavailable,
       "namespaces \"shop\" not found",
       "there is no override x in namespace shop"},
      {{Code::kUnavailable, "failed calling webhook \"x\""},
       kServed,
       Code::kUnavailable,
       "an HPA is paused by its annotations",
       "an HPA is paused by its annotations"},
  };
  for (const auto& c : kCases) {
    support::FakeTransport transport{[&](const kube::Request& request) -> Result<kube::Response> {
      return request.path == "/apis/ballast.dev/v1alpha1" ? c.discovery : c.refusal;
    }};
    const auto made = CreateOverride(transport, "shop", {.kind = api::kPolicyKind, .hold = "All"});
    EXPECT_EQ(made.error().code, c.code) << c.all;
    EXPECT_THAT(made.error().message, HasSubstr(c.all));
    EXPECT_THAT(ListOverrides(transport, "").error().message, HasSubstr(c.all));
    EXPECT_THAT(ReadOverride(transport, {"shop", "x"}).error().message, HasSubstr(c.one));
  }
}

// Admission answers with the same status as authorization.
TEST(OverrideObjects, SpeakOfRightsOnlyWhereTheyAreMissing) {
  const struct {
    const char* refusal;
    const char* hint;
  } kCases[] = {
      {R"(User "bob" cannot create resource "autoscaleoverrides")",
       " (the ClusterRole ballast-edit-overrides has the rights)"},
      {"exceeded quota: few, requested: count/autoscaleoverrides.ballast.dev=1, used: 5, limited: "
       "5",
       " (ended overrides count, too, for 30 days: delete some, or raise the namespace's "
       "ResourceQuota)"},
      {"unable to create new content in namespace shop because it is being terminated", ""},
  };
  for (const auto& c : kCases) {
    support::FakeTransport transport{[&](const kube::Request& request) -> Result<kube::Response> {
      return request.path == "/apis/ballast.dev/v1alpha1"
                 ? kube::Response{200, R"({"resources":[{"name":"autoscaleoverrides"}]})"}
                 : Result<kube::Response>(Error{Code::kForbidden, c.refusal});
    }};
    const auto made = CreateOverride(transport, "shop", {.kind = api::kPolicyKind, .hold = "All"});
    EXPECT_EQ(made.error().message,
              "overrides cannot be created: " + std::string(c.refusal) + c.hint);
  }
}

TEST(MadeOverride, TellsWhichOthersItReplaces) {
  const std::string until = R"("until":"2026-03-04T14:00:00Z")";
  const std::string list =
      R"({"metadata":{},"items":[)" + Item("short", until + R"(,"pin":3)", "Active") + "," +
      Item("long", R"("until":"2026-03-04T16:00:00Z","pin":4)", "Active") + "," +
      Item("before", R"("until":"2026-03-04T12:30:00Z","pin":4)", "Active") + "," +
      Item("floor", until + R"(,"floor":3)", "Active") + "," +
      Item("invalid", until + R"(,"pin":3)", "Invalid") + "," +
      R"({"metadata":{"namespace":"shop","name":"tier"},"spec":{"selector":{)"
      R"("kind":"AutoScalePolicy","matchLabels":{"tier":"web"}},)" +
      until + R"(,"reason":"sale","pin":5}}]})";
  Result<kube::Response> answer = kube::Response{200, list};
  support::FakeTransport transport{
      [&](const kube::Request&) -> Result<kube::Response> { return answer; }};
  api::AutoScaleOverride made;
  made.metadata.namespace_ = "shop";
  made.metadata.uid = "made";
  made.spec = {.kind = api::kPolicyKind,
               .name = "web",
               .from = kNow + Duration::Seconds(3600),
               .until = kNow + Duration::Seconds(4 * 3600 - 1),
               .pin = 7};
  const OverrideTarget web{{api::kPolicyKind, "shop", "web"},
                           api::ObjectMeta{.namespace_ = "shop", .labels = {{"tier", "web"}}}};
  const auto names = [&](const OverrideTarget* target) {
    std::string text;
    for (const std::string& told : TellReplaced(transport, target, made, kNow)) {
      EXPECT_THAT(told, HasSubstr(" does not count while this one does"));
      text += told.substr(0, told.find(',')) +
              (told.ends_with(", and counts again after it") ? " again " : " ");
    }
    return text;
  };
  EXPECT_EQ(names(&web), "short tier long again ");
  const OverrideTarget other{{api::kPolicyKind, "shop", "api"},
                             api::ObjectMeta{.namespace_ = "shop"}};
  EXPECT_EQ(names(&other), "");
  EXPECT_EQ(names(nullptr), "short tier long again ") << "by labels it may meet each of its kind";
  EXPECT_THAT(TellReplaced(transport, nullptr, made, kNow).front(),
              HasSubstr("where both are about the same autoscaler"));
  made.spec.kind = api::kHpaKind;
  EXPECT_EQ(names(nullptr), "");
  answer = Error{Code::kForbidden, "no"};
  EXPECT_EQ(names(&web), "");
}

TEST(MadeOverride, WaitsForWhatTheOperatorSays) {
  const struct {
    const char* phase;
    const char* message;
    bool by_labels;
    const char* problem;
    const char* warning;
  } kCases[] = {
      {"Active", "", false, "", ""},
      {"Pending", "begins at noon", false, "", ""},
      {"Active", "without effect: its mode is DryRun", false, "without effect: its mode is DryRun",
       ""},
      {"Active", "counts as 10, the maxReplicas of AutoScalePolicy web", false, "",
       "counts as 10, the maxReplicas of AutoScalePolicy web"},
      {"Active", "without effect on 1 of 2, as on x", true, "",
       "without effect on 1 of 2, as on x"},
      {"Invalid", "spec.until: is too late", false, "Invalid: spec.until: is too late", ""},
      {"Invalid", "spec.until: is too late", true, "Invalid: spec.until: is too late", ""},
      {"Superseded", "x is newer", false, "Superseded: x is newer", ""},
      {"", "", false, "",
       "no operator has looked at it yet; whether it counts shows: ballast "
       "overrides -n shop"},
  };
  for (const auto& c : kCases) {
    int pauses = 0;
    support::FakeTransport transport{[&](const kube::Request&) -> Result<kube::Response> {
      const bool seen = pauses == 2;
      return kube::Response{
          200,
          R"({"metadata":{"name":"x","namespace":"shop","uid":"u"},"spec":{)" +
              std::string(c.by_labels ? R"("selector":{"kind":"AutoScalePolicy",)"
                                        R"("matchLabels":{"tier":"web"}})"
                                      : R"("target":{"kind":"AutoScalePolicy","name":"web"})") +
              R"(,"until":"2026-03-04T14:00:00Z","reason":"sale","hold":"All"},"status":{)" +
              (seen ? R"("phase":")" + std::string(c.phase) + R"(","message":")" + c.message + "\""
                    : std::string()) +
              "}}"};
    }};
    api::AutoScaleOverride made;
    made.metadata.name = "x";
    made.metadata.namespace_ = "shop";
    const OverrideVerdict verdict = AwaitVerdict(transport, made, [&] { ++pauses; });
    EXPECT_EQ(verdict.problem, c.problem) << c.phase << c.message;
    EXPECT_EQ(verdict.warning, c.warning) << c.phase << c.message;
  }
}

TEST(EndedOverride, WaitsUntilTheOperatorHasSeenIt) {
  const struct {
    const char* name;
    Result<const char*> status;
    int pauses;
    const char* warning;
  } kCases[] = {
      {"seen", R"("ended":"2026-03-04T12:00:01Z")", 2, ""},
      {"by an operator of an older version", "", 15,
       "no operator has seen yet that it is ended, so it may still count; one of an older version "
       "never does: kubectl delete autoscaleoverride x -n shop"},
      {"deleted", Error{Code::kNotFound, "gone"}, 2, ""},
  };
  for (const auto& c : kCases) {
    int pauses = 0;
    support::FakeTransport transport{[&](const kube::Request&) -> Result<kube::Response> {
      if (pauses == 2 && !c.status.ok()) {
        return c.status.error();
      }
      return kube::Response{
          200, R"({"metadata":{"name":"x","namespace":"shop"},"spec":{"target":{)"
               R"("kind":"AutoScalePolicy","name":"web"},"until":"2026-03-04T14:00:00Z",)"
               R"("hold":"All"},"ended":"2026-03-04T12:00:00Z","status":{)" +
                   std::string(pauses == 2 ? *c.status : "") + "}}"};
    }};
    api::AutoScaleOverride ended;
    ended.metadata = {.name = "x", .namespace_ = "shop"};
    EXPECT_EQ(AwaitEnd(transport, ended, [&] { ++pauses; }), c.warning) << c.name;
    EXPECT_EQ(pauses, c.pauses) << c.name;
  }
}

}  // namespace
}  // namespace ballast::cli
