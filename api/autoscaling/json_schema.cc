#include "api/autoscaling/json_schema.h"

#include <string_view>

#include "api/autoscaling/crd.h"
#include "api/autoscaling/override.h"
#include "api/autoscaling/types.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/json/yaml.h"

namespace ballast::api {
namespace {

void WriteForEditors(json::Writer& out, const json::Cursor& schema);

void WriteMember(json::Writer& out, std::string_view name, const json::Cursor& value) {
  if (name.starts_with("x-kubernetes-")) {
    return;
  }
  out.Key(name);
  if (name == "properties") {
    out.Object([&] {
      for (const auto& [property, schema] : value.Members()) {
        out.Key(property);
        WriteForEditors(out, schema);
      }
    });
  } else if (name == "items") {
    WriteForEditors(out, value);
  } else {
    out.Raw(value.Print());
  }
}

void WriteForEditors(json::Writer& out, const json::Cursor& schema) {
  out.Object([&] {
    for (const auto& [name, value] : schema.Members()) {
      WriteMember(out, name, value);
    }
    if (schema.Member("properties").present()) {
      out.Field("additionalProperties", false);
    }
  });
}

// Whether a document is of that kind at all.
void WriteRoot(json::Writer& out, const json::Cursor& schema, const char* kind) {
  out.Object([&] {
    out.Field("$schema", "http://json-schema.org/draft-07/schema#");
    out.Field("title", kind);
    for (const auto& [name, value] : schema.Members()) {
      if (name != "required" && name != "properties") {
        WriteMember(out, name, value);
      }
    }
    out.Array("required", [&] {
      for (const char* name : {"apiVersion", "kind", "metadata", "spec"}) {
        out.Value(name);
      }
    });
    out.Object("properties", [&] {
      out.Object("apiVersion", [&] { out.Field("const", kPolicyApiVersion); });
      out.Object("kind", [&] { out.Field("const", kind); });
      for (const auto& [name, value] : schema.Member("properties").Members()) {
        if (name != "apiVersion" && name != "kind") {
          out.Key(name);
          WriteForEditors(out, value);
        }
      }
    });
    out.Field("additionalProperties", false);
  });
}

std::string JsonSchemaOf(const std::string& definition, const char* kind) {
  const json::Document crd = json::Parse(YamlToJson(definition).value().front()).value();
  json::Decoder decoder(crd);
  json::Writer out;
  const json::Cursor version = *decoder.root().Member("spec").Member("versions").Elements().begin();
  WriteRoot(out, version.Member("schema").Member("openAPIV3Schema"), kind);
  return out.Take();
}

}  // namespace

std::string PolicyJsonSchema() { return JsonSchemaOf(PolicyCrd(), kPolicyKind); }

std::string OverrideJsonSchema() { return JsonSchemaOf(OverrideCrd(), kOverrideKind); }

}  // namespace ballast::api
