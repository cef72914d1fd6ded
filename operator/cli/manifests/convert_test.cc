#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "operator/cli/commands.h"
#include "operator/cli/manifests/manifest.h"
#include "operator/cli/testing/run.h"
#include "tests/support/temp_dir.h"

namespace ballast::cli {
namespace {

using testing::Answer;

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The files of testdata/convert. NAME.yaml or NAME.json is converted to NAME.txt: the exit status,
// what is listed, and the policies. With the variable BALLAST_WRITE_GOLDEN set, NAME.txt is
// written.
std::vector<std::filesystem::path> Inputs() {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  std::vector<std::filesystem::path> inputs;
  if (folder != nullptr) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".txt") {
        inputs.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(inputs);
  return inputs;
}

TEST(Convert, IsAsRecorded) {
  const auto inputs = Inputs();
  ASSERT_FALSE(inputs.empty());
  for (const std::filesystem::path& input : inputs) {
    SCOPED_TRACE(input);
    const Answer done = testing::Run(AddConvert, {}, Read(input));
    const std::string text = "exit status " + std::to_string(static_cast<int>(done.status)) + "\n" +
                             done.error + "policies:\n" + done.out;
    const std::filesystem::path golden = std::filesystem::path(input).replace_extension(".txt");
    if (std::getenv("BALLAST_WRITE_GOLDEN") != nullptr) {
      std::ofstream(golden) << text;
    }
    EXPECT_EQ(text, Read(golden));
  }
}

TEST(Convert, MakesPoliciesThatAreValid) {
  for (const std::filesystem::path& input : Inputs()) {
    SCOPED_TRACE(input);
    const std::string policies = testing::Run(AddConvert, {}, Read(input)).out;
    if (policies.empty()) {
      continue;
    }
    const Answer checked = testing::Run(AddValidate, {}, policies);
    EXPECT_EQ(checked.status, ExitStatus::kDone) << checked.out;
    EXPECT_THAT(checked.out, ::testing::HasSubstr("AutoScalePolicy"));
  }
}

TEST(Convert, PrintsAsTheObjectsCameInOrAsAsked) {
  constexpr const char* kHpa =
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},)"
      R"("spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
      R"("name":"web"}}})";
  EXPECT_THAT(testing::Run(AddConvert, {}, kHpa).out, ::testing::StartsWith("{"));
  EXPECT_THAT(testing::Run(AddConvert, {"-o", "yaml"}, kHpa).out,
              ::testing::StartsWith("apiVersion:"));

  // As the first came in: what is made of JSON and YAML can be read.
  const support::TempDir dir;
  const std::string json = dir.Write("web.json", kHpa);
  const std::string yaml = dir.Write("web.yaml", "# YAML\n" + std::string(kHpa));
  for (const auto& [files, begin] :
       {std::pair(std::vector<std::string>{"-f", yaml, "-f", json, "-f", json}, "apiVersion:"),
        std::pair(std::vector<std::string>{"-f", json, "-f", json, "-f", yaml}, "{")}) {
    const std::string policies = testing::Run(AddConvert, files).out;
    EXPECT_THAT(policies, ::testing::StartsWith(begin));
    EXPECT_EQ(testing::Run(AddValidate, {}, policies).status, ExitStatus::kDone) << policies;
  }
}

TEST(Convert, RefusesAnInputWithoutAutoscalers) {
  const Answer done = testing::Run(AddConvert, {}, "kind: Deployment\napiVersion: apps/v1\n");
  EXPECT_EQ(done.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.error, ::testing::HasSubstr("Deployment: is no autoscaler; left out\n"));
}

TEST(Convert, PutsQueriesToASource) {
  const std::string object =
      "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: web}\n"
      "spec:\n  scaleTargetRef: {name: web}\n  minReplicaCount: 1\n  triggers:\n"
      "  - type: prometheus\n    metadata: {query: 'up{pod=~\"$POD\"}', threshold: \"100\"";
  const Answer done = testing::Run(AddConvert, {"--prometheus-source", "main"},
                                   object + ", ignoreNullValues: \"false\"}\n");
  EXPECT_EQ(done.status, ExitStatus::kDone) << done.error;
  EXPECT_EQ(done.error, "");
  EXPECT_THAT(done.out, ::testing::HasSubstr("  - type: Prometheus\n"
                                             "    prometheus:\n"
                                             "      source: main\n"
                                             "      query: up{pod=~\"$$POD\"}\n"
                                             "      target:\n"
                                             "        type: AverageValue\n"
                                             "        averageValue: \"100\"\n"));
  EXPECT_EQ(testing::Run(AddValidate, {}, done.out).status, ExitStatus::kDone);

  const Answer lossy = testing::Run(
      AddConvert, {"--prometheus-source", "main"},
      object +
          ", serverAddress: \"http://p\", activationThreshold: \"5\", unsafeSsl: \"true\"}\n"
          "    metricType: Value\n    authenticationRef: {name: a}\n");
  EXPECT_EQ(lossy.status, ExitStatus::kFoundWrong);
  for (const char* told :
       {"serverAddress: http://p is not asked, but the source main", "activationThreshold: ",
        "unsafeSsl: ", "authenticationRef: ", "ignoreNullValues: is true (KEDA's default)"}) {
    EXPECT_THAT(lossy.error, ::testing::HasSubstr(told));
  }
  EXPECT_THAT(lossy.out, ::testing::HasSubstr("type: Value\n        value: \"100\"\n"));

  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"100\"", "many"},
           {"spec:", "spec:\n  x: 1"},
           {"minReplicaCount: 1", "minReplicaCount: 0"}}) {
    std::string changed = object + "}\n";
    changed.replace(changed.find(from), from.size(), to);
    EXPECT_EQ(testing::Run(AddConvert, {"--prometheus-source", "main"}, changed).status,
              ExitStatus::kFoundWrong)
        << to;
  }
  EXPECT_EQ(testing::Run(AddConvert, {}, object + "}\n").out, "") << "its only trigger is lost";
}

TEST(Convert, LetsNoPolicyScaleWithoutTheFormulaOverItsMetrics) {
  const std::string object =
      "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: web}\n"
      "spec:\n  scaleTargetRef: {name: web}\n  minReplicaCount: 1\n  triggers:\n"
      "  - {type: prometheus, metadata: {query: up, threshold: \"100\"}}\n"
      "  advanced: {scalingModifiers: ";
  for (const auto& [modifiers, mode] :
       {std::pair{"{formula: up / 2, target: \"5\"}", true}, {"{}", false}, {"null", false}}) {
    const Answer done =
        testing::Run(AddConvert, {"--prometheus-source", "main"}, object + modifiers + "}\n");
    EXPECT_EQ(done.out.find("mode: DryRun") != std::string::npos, mode) << modifiers;
    EXPECT_EQ(done.error.find("scalingModifiers") != std::string::npos, mode) << done.error;
  }
}

// ---- Nothing is lost silently

// Writes `value` again; what `rewrite` returns for a place takes the place's, and nothing if it is
// empty. Places are named as in the list of what is lost.
using Rewrite =
    std::function<std::optional<std::string>(const std::string& path, const json::Cursor& value)>;

std::string Written(const json::Cursor& value, const std::string& path, const Rewrite& rewrite) {
  if (auto other = rewrite(path, value)) {
    return *other;
  }
  if (!value.IsObject() && !value.IsArray()) {
    return value.Print();
  }
  std::string parts;
  const auto add = [&](const std::string& key, const std::string& part) {
    if (!part.empty()) {
      parts += (parts.empty() ? "" : ",") + key + part;
    }
  };
  if (value.IsArray()) {
    int i = 0;
    for (const json::Cursor& element : value.Elements()) {
      add("", Written(element, path + "[" + std::to_string(i++) + "]", rewrite));
    }
    return "[" + parts + "]";
  }
  for (const auto& [name, member] : value.Members()) {
    const std::string key(name);
    const std::string place = path == "metadata.annotations" ? path + "[" + key + "]"
                              : path.empty()                 ? key
                                                             : path + "." + key;
    add("\"" + key + "\":", Written(member, place, rewrite));
  }
  return "{" + parts + "}";
}

TEST(Convert, TakesNullForAbsent) {
  constexpr const char* kObjects[] = {
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web",)"
      R"("labels":null,"annotations":null,"finalizers":null,"ownerReferences":null},"status":null,)"
      R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},)"
      R"("minReplicas":null,"maxReplicas":3,"metrics":null,"behavior":{"scaleUp":null,"scaleDown":)"
      R"({"policies":null,"tolerance":null,"stabilizationWindowSeconds":60}}}})",
      R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},)"
      R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},)"
      R"("minReplicas":null,"maxReplicas":3,"targetCPUUtilizationPercentage":null}})",
      R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"web",)"
      R"("labels":null,"ownerReferences":null},"spec":{"scaleTargetRef":{"name":"web","kind":null,)"
      R"("envSourceContainerName":null},"pollingInterval":null,"cooldownPeriod":null,)"
      R"("maxReplicaCount":null,"idleReplicaCount":null,"fallback":null,"triggers":[{"type":"cpu",)"
      R"("name":null,"metricType":"Utilization","metadata":{"value":"60","containerName":null}}],)"
      R"("advanced":{"scalingModifiers":null,"horizontalPodAutoscalerConfig":{"name":null,)"
      R"("behavior":{"scaleUp":{"policies":null}}}}}})"};
  const auto without = [](const std::string&, const json::Cursor& value) {
    return value.present() ? std::nullopt : std::optional<std::string>("");
  };
  for (const char* object : kObjects) {
    const auto document = json::Parse(object);
    json::Decoder decoder(document.value());
    const Answer done = testing::Run(AddConvert, {}, object);
    const Answer other = testing::Run(AddConvert, {}, Written(decoder.root(), "", without));
    EXPECT_EQ(done.status, ExitStatus::kDone) << done.error;
    EXPECT_EQ(done.out, other.out);
    EXPECT_EQ(done.error, "");
  }
}

// Other values of that kind, of which at least one should be valid.
std::vector<std::string> OthersThan(const json::Cursor& value) {
  const std::string text = value.Print();
  if (value.IsNumber()) {
    return {std::to_string(value.Integer().value_or(0) + 1),
            std::to_string(value.Integer().value_or(0) + 3)};
  }
  if (value.IsBool()) {
    return {text == "true" ? "false" : "true"};
  }
  const std::string inside = text.substr(1, text.size() - 2);
  return {"\"1" + inside + "\"",
          "\"" + inside + "x\"",
          "\"true\"",
          "\"false\"",
          "\"Max\"",
          "\"Min\"",
          "\"Pods\"",
          "\"Percent\""};
}

bool Begins(const std::string& path, const std::string& with) {
  return path.starts_with(with) &&
         (path.size() == with.size() || path[with.size()] == '.' || path[with.size()] == '[');
}

// What the API server or another controller keeps in an object, and what says that it is one.
bool IsNoSetting(const std::string& path) {
  constexpr const char* kAlpha = "metadata.annotations[autoscaling.alpha.kubernetes.io/";
  return path == "kind" || path == "apiVersion" ||
         std::ranges::any_of(
             std::vector<std::string>{
                 "status", "metadata.uid", "metadata.resourceVersion", "metadata.generation",
                 "metadata.managedFields", "metadata.selfLink", "metadata.creationTimestamp",
                 "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds",
                 "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
                 std::string(kAlpha) + "conditions]", std::string(kAlpha) + "current-metrics]"},
             [&](const std::string& begin) { return Begins(path, begin); });
}

// Whether the place, or what it is a part of, is in the list.
bool IsListed(const std::string& path, const std::string& list) {
  for (std::size_t end = path.size(); end != std::string::npos && end > 0;
       end = path.find_last_of(".[", end - 1)) {
    const std::string part = path.substr(0, end);
    // (The line about all triggers only counts those that are listed.)
    if (part != "spec.triggers" && list.find(": " + part + ": ") != std::string::npos) {
      return true;
    }
  }
  return false;
}

// What is set in each object is in its policy or in the list: another value there leads to another
// policy or list, or its own is in the policy, where all others are invalid.
class Losses {
 public:
  Losses(const json::Cursor& object, const std::vector<std::string>& arguments)
      : object_(object), arguments_(arguments), whole_(Convert(object.Print())) {}

  // The places that are in neither.
  std::vector<std::string> Silent() {
    std::vector<std::string> silent;
    if (whole_.out.empty()) {
      EXPECT_NE(whole_.error, "");  // all of it is lost
      return silent;
    }
    const auto look = [&](const std::string& path, const json::Cursor& value) {
      if (!IsNoSetting(path) && !IsListed(path, whole_.error) &&
          (value.IsObject() ? !TellsMore(path, value) : !value.IsArray() && !Tells(path, value))) {
        silent.push_back(path);
      }
      return std::nullopt;
    };
    Written(object_, "", look);
    return silent;
  }

 private:
  Answer Convert(const std::string& object) const {
    return testing::Run(AddConvert, arguments_, object);
  }
  // Whether the object would be converted otherwise with that there.
  bool IsOther(const std::string& place, const std::string& text) const {
    const Answer other =
        Convert(Written(object_, "", [&](const std::string& path, const json::Cursor&) {
          return path == place ? std::optional(text) : std::nullopt;
        }));
    valid_ |= !other.out.empty();
    return !other.out.empty() && (other.out != whole_.out || other.error != whole_.error);
  }
  bool Tells(const std::string& place, const json::Cursor& value) const {
    valid_ = false;
    if (IsOther(place, "") || std::ranges::any_of(OthersThan(value), [&](const std::string& other) {
          return IsOther(place, other);
        })) {
      return true;
    }
    const std::string text = value.IsString() ? std::string(value.Text()) : value.Print();
    return !valid_ && whole_.out.find(text) != std::string::npos;
  }
  // Whether it would be told if the object had one more member, where that is not the server's.
  bool TellsMore(const std::string& place, const json::Cursor& value) const {
    if (place == "metadata" && value.Member("uid").present()) {
      return true;
    }
    const std::string more =
        R"({"futureField":"x")" + std::string(value.Print() == "{}" ? "" : ",");
    const Answer other =
        Convert(Written(object_, "", [&](const std::string& path, const json::Cursor& at) {
          return path == place ? std::optional(more + at.Print().substr(1)) : std::nullopt;
        }));
    return (other.out + other.error).find("futureField") != std::string::npos;
  }

  const json::Cursor object_;
  const std::vector<std::string> arguments_;
  const Answer whole_;
  mutable bool valid_ = false;  // one of the others made a policy
};

TEST(Convert, LosesNothingSilently) {
  int objects = 0;
  for (const std::filesystem::path& input : Inputs()) {
    for (const Manifest& manifest : ManifestsOf(Read(input))) {
      if (!manifest.document.ok()) {
        continue;
      }
      json::Decoder decoder(*manifest.document);
      for (const std::vector<std::string>& arguments :
           {std::vector<std::string>{}, {"--prometheus-source", "main"}}) {
        SCOPED_TRACE(input.string() + ": " + manifest.source);
        EXPECT_THAT(Losses(decoder.root(), arguments).Silent(), ::testing::IsEmpty());
        ++objects;
      }
    }
  }
  EXPECT_GT(objects, 20);
}

}  // namespace
}  // namespace ballast::cli
