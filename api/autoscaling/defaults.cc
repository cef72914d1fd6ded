#include "api/autoscaling/defaults.h"

#include <algorithm>
#include <cstddef>

#include "api/json/json_writer.h"

namespace ballast::api {

namespace {

// Whether the member counts as given.
bool Given(const json::Cursor& member, const SchemaField& field) {
  return member.present() &&
         !(field.default_when_empty && member.IsArray() && member.Elements().empty());
}

std::string Fallback(const SchemaField& field);

void Write(json::Writer& out, const json::Cursor& in, const SchemaField& schema) {
  if (schema.type == SchemaField::Type::kList && in.IsArray()) {
    out.Array([&] {
      for (const json::Cursor& element : in.Elements()) {
        Write(out, element, schema.fields.front());
      }
    });
    return;
  }
  if (schema.type != SchemaField::Type::kObject || !in.IsObject()) {
    out.Raw(in.Print());
    return;
  }
  out.Object([&] {
    for (const auto& [name, value] : in.Members()) {
      const SchemaField* field = schema.Find(name);
      if (field == nullptr) {
        out.Key(name);
        out.Raw(value.Print());
      } else if (Given(value, *field) || (value.present() && field->default_json.empty())) {
        out.Key(name);
        Write(out, value, *field);
      }
    }
    for (const SchemaField& field : schema.fields) {
      if (field.default_json.empty() || Given(in.Member(field.name), field)) {
        continue;
      }
      out.Key(field.name);
      out.Raw(Fallback(field));
    }
  });
}

// The default, completed: it may have members with defaults of their own.
std::string Fallback(const SchemaField& field) {
  const auto fallback = json::Parse(field.default_json);
  json::Decoder decoder(fallback.value());
  json::Writer out;
  Write(out, decoder.root(), field);
  return out.Take();
}

// Whether any field below this one has a default.
bool HasDefaults(const SchemaField& field) {
  return std::ranges::any_of(field.fields, [](const SchemaField& member) {
    return !member.default_json.empty() || HasDefaults(member);
  });
}

void Find(const json::Cursor& in, const SchemaField& schema, const std::string& path,
          std::vector<MissingDefault>& missing) {
  if (schema.type == SchemaField::Type::kList && in.IsArray()) {
    std::size_t i = 0;
    for (const json::Cursor& element : in.Elements()) {
      Find(element, schema.fields.front(), path + "/" + std::to_string(i++), missing);
    }
    return;
  }
  if (schema.type != SchemaField::Type::kObject || !in.IsObject()) {
    return;
  }
  for (const SchemaField& field : schema.fields) {
    const json::Cursor member = in.Member(field.name);
    const std::string place = path + "/" + field.name;
    if (!field.default_json.empty() && !Given(member, field)) {
      missing.push_back({place, member.present(), Fallback(field)});
    } else if (HasDefaults(field)) {
      Find(member, field, place, missing);
    }
  }
}

}  // namespace

std::string Complete(const json::Cursor& object, const SchemaField& schema) {
  json::Writer out;
  Write(out, object, schema);
  return out.Take();
}

std::vector<MissingDefault> MissingDefaults(const json::Cursor& object, const SchemaField& schema) {
  std::vector<MissingDefault> missing;
  Find(object, schema, "", missing);
  return missing;
}

}  // namespace ballast::api
