#include "operator/cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "operator/cli/terminal/times.h"
#include "operator/cli/testing/run.h"

namespace ballast::cli {
namespace {

using ::testing::HasSubstr;

// `flags` are words between blanks.
testing::Answer Validate(const std::string& flags, const std::string& input) {
  std::istringstream words(flags);
  return testing::Run(AddValidate, {std::istream_iterator<std::string>(words), {}}, input);
}

constexpr const char* kYaml =
    "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\n"
    "spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n";
constexpr const char* kJson =
    R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},)"
    R"("spec":{"maxReplicas":3,"minReplicas":0,"scaleTargetRef":{"apiVersion":"apps/v1",)"
    R"("kind":"Deployment","name":"web"},"metrics":[{"type":"External","external":{"metric":)"
    R"({"name":"q"},"target":{"type":"Value","value":"1"}}}]}})";

TEST(Validate, TellsAStreamOfObjectsFromManifests) {
  const std::string indented = "{\n" + std::string(kJson).substr(1);
  const struct {
    const char* about;
    std::string input;
    const char* text;  // expected in the answer
    int answers;
  } kCases[] = {
      {"a value a line", std::string(kJson) + "\n" + kJson + "\n", R"({"valid":true)", 2},
      {"with an id", R"({"id":7,"object":)" + std::string(kJson) + "}\n", R"({"id":7)", 1},
      {"a broken line", "{broken\n" + std::string(kJson), R"({"valid":false)", 2},
      {"YAML", kYaml, R"("name":"HorizontalPodAutoscaler web")", 1},
      {"JSON over several lines", indented, R"("name":"HorizontalPodAutoscaler web")", 1},
  };
  for (const auto& c : kCases) {
    const auto ended = Validate("-o ndjson", c.input);
    EXPECT_THAT(ended.out, HasSubstr(c.text)) << c.about;
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), c.answers) << c.about;
  }
}

TEST(Validate, NothingToLookAtIsAMistakeOfTheCaller) {
  for (const char* input : {"", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"}) {
    for (const char* output : {"text", "json", "yaml", "ndjson"}) {
      const auto ended = Validate(std::string("-o ") + output, input);
      EXPECT_EQ(ended.status, ExitStatus::kUsedWrong) << input;
      EXPECT_THAT(ended.error,
                  HasSubstr("no HorizontalPodAutoscaler, AutoScalePolicy or AutoScale"));
    }
  }
  EXPECT_EQ(Validate("", kYaml).status, ExitStatus::kDone);
}

TEST(Validate, WarnsOfWhatNeedsAFeatureGateThatIsNotSet) {
  const struct {
    const char* flags;
    const char* text;  // expected in the answer
    ExitStatus status;
  } kCases[] = {
      {"", "  warning: spec.minReplicas: 0 is refused where HPAScaleToZero is off",
       ExitStatus::kDone},
      {"--feature-gates HPAConfigurableTolerance=true", "  warning: spec.minReplicas: 0 is refused",
       ExitStatus::kDone},
      {"--feature-gates HPAScaleToZero=true", ": valid\n", ExitStatus::kDone},
      {"--feature-gates HPAScaleToZero=false", "  error: spec.minReplicas: must be 1 or more",
       ExitStatus::kFoundWrong},
      {"--feature-gates HPAScaleToZero=false --feature-gates HPAScaleToZero=true", ": valid\n",
       ExitStatus::kDone},
      {"--feature-gates HPAConfigurableTolerance=false,HPAScaleToZero=true", ": valid\n",
       ExitStatus::kDone},
      {"-o ndjson", R"("warnings":["spec.minReplicas: 0 is refused)", ExitStatus::kDone},
      {"-o ndjson --feature-gates HPAScaleToZero=true", R"("warnings":[],)", ExitStatus::kDone},
      {"-o ndjson --feature-gates HPAScaleToZero=false", R"("fields":["spec.minReplicas"])",
       ExitStatus::kFoundWrong},
  };
  for (const auto& c : kCases) {
    const auto ended = Validate(c.flags, kJson);
    EXPECT_EQ(ended.status, c.status) << c.flags;
    EXPECT_THAT(ended.out, HasSubstr(c.text)) << c.flags;
    EXPECT_EQ(ended.out.find("warning: ") != std::string::npos,
              std::string(c.text).starts_with("  warning: "))
        << c.flags;
  }
  EXPECT_THAT(Validate("", kYaml).out, ::testing::Not(HasSubstr("warning")));
}

TEST(Validate, PrintsAllErrorsAtOnce) {
  std::string wrong = kYaml;
  wrong.replace(wrong.find("maxReplicas: 3"), 14, "maxReplicas: 0, metrcs: []");
  const auto text = Validate("", wrong);
  EXPECT_THAT(text.out, HasSubstr("  error: spec.metrcs: is not known here; did you mean metrics?\n"
                                  "  error: spec.maxReplicas: must be set"));
  // What an API server names at first.
  const auto line = Validate("-o ndjson", wrong);
  EXPECT_THAT(line.out, HasSubstr(R"("fields":["spec.metrcs"])"));
  EXPECT_THAT(line.out, HasSubstr(R"({"field":"spec.maxReplicas")"));
}

TEST(Validate, ChecksOverridesAsIfTheyWereMadeNow) {
  const auto override = [](const std::string& until, const std::string& more) {
    return "apiVersion: ballast.dev/v1alpha1\nkind: AutoScaleOverride\nmetadata: {name: sale}\n"
           "spec: {target: {kind: AutoScalePolicy, name: web}, until: \"" +
           until + "\", " + more + "}\n";
  };
  const std::string hour = Print(Now() + Duration::Seconds(3600));
  const auto good = Validate("", override(hour, "reason: sale, floor: 3"));
  EXPECT_EQ(good.status, ExitStatus::kDone);
  EXPECT_EQ(good.out, "stdin: AutoScaleOverride sale: valid\n");
  EXPECT_EQ(Validate("-o ndjson", override(hour, "reason: sale, floor: 3")).out,
            R"({"source":"stdin","name":"AutoScaleOverride sale","valid":true,"fields":[],)"
            R"("errors":[],"warnings":[]})"
            "\n");
  EXPECT_THAT(Validate("", override(Print(Now() + Duration::Seconds(10 * 24 * 3600)),
                                    "reason: sale, floor: 3"))
                  .out,
              HasSubstr("valid\n  warning: spec.until: lasts for more than 7 days"));
  EXPECT_THAT(
      Validate("", override(hour, "reason: sale, floor: 3") + "ended: \"2026-03-04T12:00:00Z\"\n")
          .out,
      HasSubstr("valid\n  warning: ended: whoever sets it ends the override"));
  const auto bad = Validate("", override("2020-01-01T00:00:00Z", "reason: \"\", floor: 0"));
  EXPECT_EQ(bad.status, ExitStatus::kFoundWrong);
  for (const char* text : {"  error: spec.reason: must not be empty\n",
                           "  error: spec.floor: must be 1 or more, is 0\n",
                           "  error: spec.until: must be later than "}) {
    EXPECT_THAT(bad.out, HasSubstr(text));
  }
}

TEST(Validate, AnUnknownFeatureGateIsAMistakeOfTheCaller) {
  const auto ended = Validate("--feature-gates HPAScaleToOne=true", kYaml);
  EXPECT_EQ(ended.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.error, HasSubstr("--feature-gates: unknown feature gate \"HPAScaleToOne\""));
}

// With `rules` as --defaults; the policies are in the namespace shop.
class RulesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(file_) << R"(
rules:
- name: batch
  namespaceSelector: {matchLabels: {tier: batch}}
  defaults: {podSelection: Owned}
  limits: {minSyncPeriodSeconds: 10}
- name: all
  limits: {maxReplicas: 10}
)";
  }
  void TearDown() override { std::filesystem::remove(file_); }

  const std::string file_ = ::testing::TempDir() + "/rules-" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                            ".yaml";
};

std::string Policy(const std::string& spec, const std::string& namespace_ = "shop") {
  return "apiVersion: ballast.dev/v1alpha1\nkind: AutoScalePolicy\nmetadata: {name: web" +
         (namespace_.empty() ? "" : ", namespace: " + namespace_) +
         "}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, " + spec +
         "}\n---\n";
}

constexpr const char* kShop =
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {tier: batch}}\n";

TEST_F(RulesTest, ValidateJudgesAsTheWebhookWould) {
  const std::string most =
      "  error: spec.maxReplicas: is 11; rule all of the chart's value policyRules allows 10 at "
      "most\n";
  const std::string least =
      "  error: spec.syncPeriodSeconds: is 9; rule batch of the chart's value policyRules allows "
      "10 at least\n";
  const std::string unknown =
      ": rule batch is left out: the labels of namespace shop are not known; add the Namespace to "
      "the objects\n";
  const struct {
    std::string input;
    std::string out;
  } kCases[] = {
      {Policy("maxReplicas: 5") + kShop, "valid\n"},
      {Policy("maxReplicas: 11, syncPeriodSeconds: 9") + kShop, "invalid\n" + most + least},
      {Policy("maxReplicas: 5, syncPeriodSeconds: 9"),
       "valid\n  warning: spec.podSelection" + unknown + "  warning: spec.syncPeriodSeconds" +
           unknown},
      {Policy("maxReplicas: 5", ""),
       "valid\n  warning: spec.podSelection: rule batch is left out: the policy has no "
       "metadata.namespace\n"},
  };
  for (const auto& c : kCases) {
    const auto ended = Validate("--defaults " + file_, c.input);
    EXPECT_EQ(ended.out.substr(std::min(ended.out.find("valid\n"), ended.out.find("invalid\n"))),
              c.out);
  }
  EXPECT_EQ(Validate("--defaults " + file_, kYaml).out, Validate("", kYaml).out) << "an HPA";
}

TEST_F(RulesTest, DefaultFillsInWhatTheWebhookWould) {
  const struct {
    std::string input;
    const char* selection;  // empty: not filled in
    const char* said;
  } kCases[] = {
      {Policy("maxReplicas: 5") + kShop, "  podSelection: Owned\n", ""},
      {Policy("maxReplicas: 5", "bank"), "", "warning: spec.podSelection: rule batch is left out"},
      {Policy("maxReplicas: 5, podSelection: Selector") + kShop, "  podSelection: Selector\n", ""},
      {Policy("maxReplicas: 11") + kShop, "", "spec.maxReplicas: is 11; rule all"},
  };
  for (const auto& c : kCases) {
    const auto ended = testing::Run(AddDefault, {"--defaults", file_}, c.input);
    EXPECT_THAT(ended.error, HasSubstr(c.said));
    EXPECT_EQ(ended.error.empty(), *c.said == '\0') << ended.error;
    EXPECT_THAT(ended.out, HasSubstr(c.selection));
    EXPECT_EQ(ended.out.find("podSelection") == std::string::npos, *c.selection == '\0');
  }
}

TEST(Validate, OfManyErrorsTheFirstAreToldAndTheOthersCounted) {
  std::string metrics;
  for (int i = 0; i < 70; ++i) {
    metrics += R"({"type":"Odd"},)";
  }
  std::string odd = kJson;
  odd.replace(odd.find(R"({"type":"External")"), 0, metrics);
  EXPECT_THAT(Validate("", odd).out, HasSubstr("  and 20 more errors\n"));
  EXPECT_THAT(Validate("-o json", odd).out, HasSubstr(R"("moreErrors":20)"));
}

TEST(Validate, VerdictsAreAlsoYaml) {
  EXPECT_THAT(Validate("-o yaml", kYaml).out, ::testing::StartsWith("- source: stdin"));
}

}  // namespace
}  // namespace ballast::cli
