#include "api/autoscaling/policy_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/autoscaling/object_check.h"
#include "api/autoscaling/schema.h"
#include "api/autoscaling/strict_fields.h"
#include "api/autoscaling/types.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/json/yaml.h"
#include "api/kubernetes/field_error.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

SchemaField Part(SchemaField::Type type, std::string name, std::vector<SchemaField> fields = {}) {
  return {.name = std::move(name), .type = type, .fields = std::move(fields)};
}

// The shape of the file. Defaults are checked as parts of a policy.
const SchemaField& RulesSchema() {
  using Type = SchemaField::Type;
  static const SchemaField schema = Part(
      Type::kObject, "",
      {Part(Type::kList, "rules",
            {Part(Type::kObject, "",
                  {Part(Type::kString, "name"),
                   Part(Type::kObject, "namespaceSelector",
                        {Part(Type::kTextMap, "matchLabels"),
                         Part(Type::kList, "matchExpressions",
                              {Part(Type::kObject, "",
                                    {Part(Type::kString, "key"), Part(Type::kString, "operator"),
                                     Part(Type::kList, "values", {Part(Type::kString, "")})})})}),
                   Part(Type::kObject, "defaults",
                        {Part(Type::kAny, "behavior"), Part(Type::kAny, "podSelection")}),
                   Part(Type::kObject, "limits",
                        {Part(Type::kInt32, "maxReplicas"),
                         Part(Type::kInt32, "minSyncPeriodSeconds")}),
                   Part(Type::kString, "enforcement")})})});
  return schema;
}

// Reads rules whose shape is right.
class RuleReader {
 public:
  FieldErrors errors;

  void Read(const json::Cursor& in, const std::string& path, PolicyRule& out) {
    ReadName(in.Member("name"), path + ".name", out);
    ReadSelector(in.Member("namespaceSelector"), path + ".namespaceSelector", out);
    ReadDefaults(in.Member("defaults"), path + ".defaults", out);
    const json::Cursor limits = in.Member("limits");
    ReadLimit(limits.Member("maxReplicas"), path + ".limits.maxReplicas", "maxReplicas",
              out.max_replicas);
    ReadLimit(limits.Member("minSyncPeriodSeconds"), path + ".limits.minSyncPeriodSeconds",
              "syncPeriodSeconds", out.min_sync_period_seconds);
    if (const json::Cursor enforcement = in.Member("enforcement"); enforcement.present()) {
      out.denies = enforcement.Text() == "Deny";
      if (!out.denies && enforcement.Text() != "Warn") {
        errors.Add(path + ".enforcement", "must be Deny or Warn, is " + Quote(enforcement.Text()));
      }
    }
    if (out.behavior.empty() && out.pod_selection.empty() && !out.max_replicas &&
        !out.min_sync_period_seconds) {
      errors.Add(path, "has neither a default nor a limit; give it one, or leave the rule out");
    }
  }

 private:
  void ReadName(const json::Cursor& in, const std::string& path, PolicyRule& out) {
    if (!in.Read(out.name)) {
      errors.Add(path, "is required; errors and warnings name the rule by it");
      return;
    }
    for (const std::string& complaint : CheckDns1123Label(out.name)) {
      errors.Add(path, complaint);
    }
    if (!names_.insert(out.name).second) {
      errors.Add(path, "is the name of an earlier rule too");
    }
  }

  void ReadSelector(const json::Cursor& in, const std::string& path, PolicyRule& out) {
    LabelSelector labels;
    Decode(in, labels);
    LabelSelector names;
    if (auto name = labels.match_labels.extract(kNamespaceName); !name.empty()) {
      names.match_labels.insert(std::move(name));
    }
    const auto about_names = std::stable_partition(
        labels.match_expressions.begin(), labels.match_expressions.end(),
        [](const LabelSelectorRequirement& one) { return one.key != kNamespaceName; });
    names.match_expressions.assign(about_names, labels.match_expressions.end());
    labels.match_expressions.erase(about_names, labels.match_expressions.end());
    Take(ToSelector(names), path, out.names);
    Take(ToSelector(labels), path, out.labels);
  }

  void Take(Result<Selector> selector, const std::string& path, Selector& out) {
    if (selector.ok()) {
      out = std::move(selector).value();
    } else {
      errors.Add(path, selector.error().message);
    }
  }

  // What is wrong with the defaults is what is wrong with a policy that has them.
  void ReadDefaults(const json::Cursor& in, const std::string& path, PolicyRule& out) {
    json::Writer policy;
    policy.Object([&] {
      policy.Field("apiVersion", kPolicyApiVersion);
      policy.Field("kind", kPolicyKind);
      policy.Object("metadata", [&] { policy.Field("name", "rule"); });
      policy.Object("spec", [&] {
        policy.Object("scaleTargetRef", [&] {
          policy.Field("apiVersion", "apps/v1");
          policy.Field("kind", "Deployment");
          policy.Field("name", "web");
        });
        policy.Field("maxReplicas", 1);
        for (const auto& [name, value] : in.Members()) {
          policy.Key(name);
          policy.Raw(value.Print());
        }
      });
    });
    const auto document = json::Parse(policy.Take());
    if (!document.ok()) {
      errors.Add(path, document.error().message);
      return;
    }
    json::Decoder decoder(*document);
    for (const FieldError& error : CheckObject(decoder.root()).errors) {
      errors.Add(path + error.field.substr(std::min(kSpec.size(), error.field.size())),
                 error.message);
    }
    const json::Cursor behavior = in.Member("behavior");
    out.behavior = behavior.present() ? behavior.Print() : "";
    out.pod_selection = in.Member("podSelection").Text();
  }

  // `bounded`: the field of a policy, which has bounds itself.
  void ReadLimit(const json::Cursor& in, const std::string& path, const char* bounded,
                 std::optional<std::int32_t>& out) {
    if (!in.Read(out)) {
      return;
    }
    const SchemaField& field = *PolicySchema().Find("spec")->Find(bounded);
    if (*out < field.minimum || (field.maximum && *out > *field.maximum)) {
      errors.Add(path,
                 "must be " + std::to_string(*field.minimum) + " or more" +
                     (field.maximum ? ", and " + std::to_string(*field.maximum) + " at most" : "") +
                     ", is " + std::to_string(*out));
    }
  }

  static constexpr std::string_view kSpec = "spec";
  std::set<std::string> names_;
};

}  // namespace

bool NeedLabels(const PolicyRules& rules) {
  return std::ranges::any_of(rules, [](const PolicyRule& rule) { return !rule.labels.empty(); });
}

Result<PolicyRules> ParsePolicyRules(const std::string& file, std::string_view yaml) {
  const auto document = ParseYaml(yaml);
  if (!document.ok()) {
    return document.error().In(file);
  }
  json::Decoder decoder(*document);
  PolicyRules rules;
  RuleReader reader;
  reader.errors = CheckFields(decoder.root(), RulesSchema(), Origin::kCustomResource);
  if (reader.errors.empty()) {
    const json::Cursor list = decoder.root().Member("rules");
    if (!list.present()) {
      reader.errors.Add("rules", "is required");
    }
    for (const json::Cursor& in : list.Elements()) {
      const std::string path = "rules[" + std::to_string(rules.size()) + "]";
      reader.Read(in, path, rules.emplace_back());
    }
  }
  if (!reader.errors.empty()) {
    return Error{Code::kInvalid, Print(reader.errors.front())}.In(file);
  }
  return rules;
}

}  // namespace ballast::api
