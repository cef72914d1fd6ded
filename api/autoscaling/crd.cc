#include "api/autoscaling/crd.h"

#include <span>

#include "api/autoscaling/override.h"
#include "api/autoscaling/schema.h"
#include "api/base/lower.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/json/yaml.h"

namespace ballast::api {

namespace {

// The pattern of the quantities in Kubernetes' own types.
constexpr const char* kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|)"
    R"(([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

void WriteSchema(json::Writer& out, const SchemaField& field);

void WriteProperties(json::Writer& out, const SchemaField& field) {
  out.Field("type", "object");
  bool any_required = false;
  for (const SchemaField& member : field.fields) {
    any_required = any_required || member.required;
  }
  if (any_required) {
    out.Array("required", [&] {
      for (const SchemaField& member : field.fields) {
        if (member.required) {
          out.Value(member.name);
        }
      }
    });
  }
  out.Object("properties", [&] {
    for (const SchemaField& member : field.fields) {
      out.Key(member.name);
      // The API server knows the shape of metadata itself.
      if (member.name == "metadata") {
        out.Object([&] { out.Field("type", "object"); });
      } else {
        WriteSchema(out, member);
      }
    }
  });
}

void WriteType(json::Writer& out, const SchemaField& field) {
  switch (field.type) {
    case SchemaField::Type::kString:
      out.Field("type", "string");
      out.Field("minLength", field.minimum);
      out.Field("maxLength", field.maximum);
      if (!field.pattern.empty()) {
        out.Field("pattern", field.pattern);
      }
      break;
    case SchemaField::Type::kTime:
      out.Field("type", "string");
      out.Field("format", "date-time");
      break;
    case SchemaField::Type::kBool:
      out.Field("type", "boolean");
      break;
    case SchemaField::Type::kInt32:
    case SchemaField::Type::kInt64:
      out.Field("type", "integer");
      out.Field("format", field.type == SchemaField::Type::kInt32 ? "int32" : "int64");
      out.Field("minimum", field.minimum);
      out.Field("maximum", field.maximum);
      break;
    case SchemaField::Type::kQuantity:
      out.Array("anyOf", [&] {
        for (const char* type : {"integer", "string"}) {
          out.Object([&] { out.Field("type", type); });
        }
      });
      out.Field("pattern", field.pattern.empty() ? kQuantityPattern : field.pattern.c_str());
      out.Field("minimum", field.minimum);
      out.Field("maxLength", kMaxQuantityText);
      out.Field("x-kubernetes-int-or-string", true);
      break;
    case SchemaField::Type::kTextMap:
      out.Field("type", "object");
      out.Object("additionalProperties", [&] { out.Field("type", "string"); });
      break;
    case SchemaField::Type::kAny:
      out.Field("x-kubernetes-preserve-unknown-fields", true);
      break;
    case SchemaField::Type::kList:
      out.Field("type", "array");
      out.Field("minItems", field.minimum);
      out.Field("maxItems", field.maximum);
      out.Field("x-kubernetes-list-type", field.list_key.empty() ? "atomic" : "map");
      if (!field.list_key.empty()) {
        out.Array("x-kubernetes-list-map-keys", [&] { out.Value(field.list_key); });
      }
      out.Key("items");
      WriteSchema(out, field.fields.front());
      break;
    case SchemaField::Type::kObject:
      WriteProperties(out, field);
      break;
  }
}

void WriteSchema(json::Writer& out, const SchemaField& field) {
  out.Object([&] {
    if (!field.description.empty()) {
      out.Field("description", field.description);
    }
    WriteType(out, field);
    if (!field.allowed.empty()) {
      out.Array("enum", [&] {
        for (const std::string& value : field.allowed) {
          out.Value(value);
        }
      });
    }
    if (!field.default_json.empty() && !field.default_may_differ) {
      out.Key("default");
      out.Raw(field.default_json);
    }
    if (!field.rules.empty()) {
      out.Array("x-kubernetes-validations", [&] {
        for (const SchemaField::CelRule& rule : field.rules) {
          out.Object([&] {
            out.Field("rule", rule.expression);
            out.Field("message", rule.message);
            if (!rule.field.empty()) {
              out.Field("fieldPath", rule.field);
            }
          });
        }
      });
    }
  });
}

struct PrinterColumn {
  const char* name;
  const char* type;
  const char* path;
  int priority;  // 0: always; 1: with -o wide
};

constexpr PrinterColumn kColumns[] = {
    {"Kind", "string", ".spec.scaleTargetRef.kind", 0},
    {"Reference", "string", ".spec.scaleTargetRef.name", 0},
    {"Targets", "string", ".status.targets", 0},
    {"Min", "integer", ".spec.minReplicas", 0},
    {"Max", "integer", ".spec.maxReplicas", 0},
    {"Replicas", "integer", ".status.currentReplicas", 0},
    {"Mode", "string", ".spec.mode", 0},
    {"Ready", "string", R"(.status.conditions[?(@.type=="Ready")].status)", 0},
    {"Reason", "string", R"(.status.conditions[?(@.type=="Ready")].reason)", 0},
    {"Age", "date", ".metadata.creationTimestamp", 0},
    {"Desired", "integer", ".status.desiredReplicas", 1},
    {"Limit", "string", ".status.lastDecision.limit", 1},
};

constexpr PrinterColumn kOverrideColumns[] = {
    {"Kind", "string", ".spec.target.kind", 0},
    {"Target", "string", ".spec.target.name", 0},
    {"Matched", "integer", ".status.matched", 0},
    {"Pin", "integer", ".spec.pin", 0},
    {"Floor", "integer", ".spec.floor", 0},
    {"Ceiling", "integer", ".spec.ceiling", 0},
    {"Hold", "string", ".spec.hold", 0},
    {"Until", "string", ".spec.until", 0},  // as a date it would be shown as an age
    {"Phase", "string", ".status.phase", 0},
    {"Owner", "string", ".status.owner", 0},
    {"Age", "date", ".metadata.creationTimestamp", 0},
    {"Reason", "string", ".spec.reason", 1},
};

struct Definition {
  std::string kind;
  std::string plural;
  std::string short_name;
  bool in_all = false;  // of `kubectl get all`
  std::span<const PrinterColumn> columns;
  const SchemaField& schema;
};

void WriteVersion(json::Writer& out, const Definition& of) {
  out.Object([&] {
    out.Field("name", "v1alpha1");
    out.Field("served", true);
    out.Field("storage", true);
    out.Object("subresources", [&] { out.Object("status", [] {}); });
    out.Array("additionalPrinterColumns", [&] {
      for (const PrinterColumn& column : of.columns) {
        out.Object([&] {
          out.Field("name", column.name);
          out.Field("type", column.type);
          out.Field("jsonPath", column.path);
          if (column.priority != 0) {
            out.Field("priority", column.priority);
          }
        });
      }
    });
    out.Object("schema", [&] {
      out.Key("openAPIV3Schema");
      WriteSchema(out, of.schema);
    });
  });
}

std::string Print(const Definition& of) {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", "apiextensions.k8s.io/v1");
    out.Field("kind", "CustomResourceDefinition");
    out.Object("metadata", [&] { out.Field("name", of.plural + ".ballast.dev"); });
    out.Object("spec", [&] {
      out.Field("group", "ballast.dev");
      out.Field("scope", "Namespaced");
      out.Object("names", [&] {
        out.Field("kind", of.kind);
        out.Field("listKind", of.kind + "List");
        out.Field("plural", of.plural);
        out.Field("singular", Lower(of.kind));
        out.Array("shortNames", [&] { out.Value(of.short_name); });
        if (of.in_all) {
          out.Array("categories", [&] { out.Value("all"); });
        }
      });
      out.Array("versions", [&] { WriteVersion(out, of); });
    });
  });
  const auto document = json::Parse(out.Take());
  json::Decoder decoder(document.value());
  return JsonToYaml(decoder.root());
}

}  // namespace

std::string PolicyCrd() {
  return Print({kPolicyKind, "autoscalepolicies", "asp", true, kColumns, PolicySchema()});
}

std::string OverrideCrd() {
  return Print(
      {kOverrideKind, "autoscaleoverrides", "aso", false, kOverrideColumns, OverrideSchema()});
}

}  // namespace ballast::api
