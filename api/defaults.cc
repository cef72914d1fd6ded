#include "api/defaults.h"

namespace ballast::api {

namespace {

// Does the member count as given?
bool Given(const json::Cursor& member, const Field& field) {
  return member.present() &&
         !(field.default_when_empty && member.IsArray() && member.Elements().empty());
}

void Write(json::Writer& out, const json::Cursor& in, const Field& schema) {
  if (schema.type == Field::Type::kList && in.IsArray()) {
    out.Array([&] {
      for (const json::Cursor& element : in.Elements()) {
        Write(out, element, schema.fields.front());
      }
    });
    return;
  }
  if (schema.type != Field::Type::kObject || !in.IsObject()) {
    out.Raw(in.Print());
    return;
  }
  out.Object([&] {
    for (const auto& [name, value] : in.Members()) {
      const Field* field = schema.Find(name);
      if (field == nullptr) {
        out.Key(name);
        out.Raw(value.Print());
      } else if (Given(value, *field) || (value.present() && field->default_json.empty())) {
        out.Key(name);
        Write(out, value, *field);
      }
    }
    for (const Field& field : schema.fields) {
      if (field.default_json.empty() || Given(in.Member(field.name), field)) {
        continue;
      }
      const auto fallback = json::Parse(field.default_json);
      json::Decoder decoder(fallback.value());
      out.Key(field.name);
      Write(out, decoder.root(), field);  // a default may have members with defaults
    }
  });
}

}  // namespace

std::string Complete(const json::Cursor& object, const Field& schema) {
  json::Writer out;
  Write(out, object, schema);
  return out.Take();
}

}  // namespace ballast::api
