#include "api/autoscaling/crd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/autoscaling/override.h"
#include "api/autoscaling/schema.h"
#include "api/json/json.h"
#include "api/json/yaml.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

// Every part of a structural schema must have a type.
void CheckStructural(const json::Cursor& schema, const std::string& path) {
  const bool typed = schema.Member("type").present() ||
                     schema.Member("x-kubernetes-int-or-string").present() ||
                     schema.Member("x-kubernetes-preserve-unknown-fields").present();
  EXPECT_TRUE(typed) << path << " has no type";
  std::set<std::string> names;
  for (const auto& [name, member] : schema.Member("properties").Members()) {
    names.insert(std::string(name));
    CheckStructural(member, path + "." + std::string(name));
  }
  for (const json::Cursor& name : schema.Member("required").Elements()) {
    EXPECT_TRUE(names.contains(std::string(name.Text()))) << path << " requires " << name.Text();
  }
  if (schema.Member("items").present()) {
    CheckStructural(schema.Member("items"), path + "[]");
  }
}

// `kubectl explain` must have a text for every field of the spec.
void CheckDescribed(const SchemaField& field, const std::string& path) {
  for (const SchemaField& member : field.fields) {
    if (field.type == SchemaField::Type::kList) {
      CheckDescribed(member, path + "[]");
    } else {
      const std::string name = path + "." + member.name;
      EXPECT_GT(member.description.size(), 3U) << name;
      CheckDescribed(member, name);
    }
  }
}

void CheckDefinition(const std::string& text, const std::string& name) {
  const auto documents = YamlToJson(text);
  ASSERT_TRUE(documents.ok()) << documents.error().message;
  ASSERT_EQ(documents->size(), 1U);
  const auto document = json::Parse(documents->front());
  ASSERT_TRUE(document.ok());
  json::Decoder decoder(*document);
  const json::Cursor spec = decoder.root().Member("spec");
  EXPECT_EQ(decoder.root().Member("metadata").Member("name").Text(), name);
  EXPECT_EQ(spec.Member("scope").Text(), "Namespaced");
  int versions = 0;
  for (const json::Cursor& version : spec.Member("versions").Elements()) {
    ++versions;
    EXPECT_TRUE(version.Member("subresources").Member("status").present());
    CheckStructural(version.Member("schema").Member("openAPIV3Schema"), "");
  }
  EXPECT_EQ(versions, 1);
  EXPECT_TRUE(decoder.status().ok());
}

TEST(Crds, AreStructuralSchemas) {
  CheckDefinition(PolicyCrd(), "autoscalepolicies.ballast.dev");
  CheckDefinition(OverrideCrd(), "autoscaleoverrides.ballast.dev");
}

// `path`: ".fallback.replicas"
const SchemaField* FindAt(const SchemaField& field, const std::string& path) {
  const std::size_t end = path.find('.', 1);
  const SchemaField* member = field.Find(path.substr(1, end - 1));
  return member == nullptr || end == std::string::npos ? member : FindAt(*member, path.substr(end));
}

// A rule must blame a field that exists; otherwise the API server rejects the definition.
void CheckRules(const SchemaField& field, const std::string& path, int& blamed) {
  for (const SchemaField::CelRule& rule : field.rules) {
    if (!rule.field.empty()) {
      ++blamed;
      ASSERT_EQ(rule.field.front(), '.') << path;
      EXPECT_NE(FindAt(field, rule.field), nullptr) << path << rule.field;
    }
  }
  for (const SchemaField& member : field.fields) {
    CheckRules(member, path + "." + member.name, blamed);
  }
}

TEST(PolicyCrd, RulesBlameTheField) {
  int blamed = 0;
  CheckRules(PolicySchema(), "", blamed);
  EXPECT_GE(blamed, 8);
  CheckRules(OverrideSchema(), "", blamed);
  EXPECT_NE(PolicyCrd().find(R"(fieldPath: ".maxReplicas")"), std::string::npos);
}

TEST(PolicyCrd, NamesThatBecomeAPathAreThoseThatValidationTakes) {
  const SchemaField& reference = *PolicySchema().Find("spec")->Find("scaleTargetRef");
  const std::string& pattern = reference.Find("name")->pattern;
  for (const std::string name : {"", ".", "..", "...", ".a", "a.", "..a", "web", "a/b", "a%b", "/",
                                 "v1beta1.pods", "..../"}) {
    EXPECT_EQ(::testing::Value(name, ::testing::ContainsRegex(pattern)),
              !name.empty() && CheckPathSegment(name).empty())
        << name;
  }
}

TEST(Crds, ExplainEveryFieldOfTheSpec) {
  CheckDescribed(*PolicySchema().Find("spec"), "spec");
  CheckDescribed(*OverrideSchema().Find("spec"), "spec");
}

TEST(PolicyCrd, LeavesOutDefaultsThatInstallationsMayReplace) {
  const SchemaField& policy = *PolicySchema().Find("spec");
  EXPECT_EQ(policy.Find("podSelection")->default_json, "\"Selector\"");
  EXPECT_EQ(PolicyCrd().find("default: Selector"), std::string::npos);
  EXPECT_NE(PolicyCrd().find("default: Active"), std::string::npos);
  // A behavior that is absent stays absent.
  EXPECT_EQ(policy.Find("behavior")->default_json, "");
}

TEST(PolicyCrd, HasEveryFieldOfTheHpa) {
  const SchemaField& policy = *PolicySchema().Find("spec");
  for (const SchemaField& field : HpaSchema().Find("spec")->fields) {
    ASSERT_NE(policy.Find(field.name), nullptr) << field.name;
    EXPECT_EQ(policy.Find(field.name)->default_json, field.default_json) << field.name;
  }
}

}  // namespace
}  // namespace ballast::api
