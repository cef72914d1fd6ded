#include "api/autoscaling/rewrite.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/base/lower.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/quantity.h"

namespace ballast::api {
namespace {

// As encoding/json folds a name: two letters beyond ASCII count as one of these.
std::string Fold(std::string name) {
  for (const auto& [letter, as] : {std::pair{"\u017f", "s"}, std::pair{"\u212a", "k"}}) {
    const std::string_view text = letter;
    for (std::size_t at = name.find(text); at != std::string::npos; at = name.find(text)) {
      name.replace(at, text.size(), as);
    }
  }
  return Lower(std::move(name));
}

bool InAnyCase(Unknown unknown) {
  return unknown == Unknown::kKeptInAnyCase || unknown == Unknown::kDroppedInAnyCase;
}

const SchemaField* FindField(const SchemaField& schema, std::string_view name, Unknown unknown) {
  const SchemaField* exact = schema.Find(name);
  if (exact != nullptr || !InAnyCase(unknown)) {
    return exact;
  }
  const std::string folded = Fold(std::string(name));
  const auto found = std::ranges::find_if(
      schema.fields, [&](const SchemaField& field) { return Lower(field.name) == folded; });
  return found == schema.fields.end() ? nullptr : &*found;
}

// Whether a custom resource takes the quantity as it is written.
bool FitsCustomResource(const json::Cursor& quantity) {
  return quantity.IsNumber()
             ? quantity.Integer().has_value()
             : quantity.Text().size() <= static_cast<std::size_t>(kMaxQuantityText) &&
                   quantity.Text().find(' ') == std::string_view::npos;
}

void Write(json::Writer& out, const json::Cursor& in, const SchemaField& schema, Unknown unknown);

void WriteMembers(json::Writer& out, const json::Cursor& in, const SchemaField& schema,
                  Unknown unknown) {
  struct Member {
    const SchemaField* field;
    std::string_view name;
    json::Cursor value;
  };
  std::vector<Member> members;
  const bool keeps = unknown == Unknown::kKept || unknown == Unknown::kKeptInAnyCase;
  for (const auto& [name, value] : in.Members()) {
    const SchemaField* field = FindField(schema, name, unknown);
    if (!value.present() || (field == nullptr && !keeps)) {
      continue;
    }
    const auto earlier = std::ranges::find(members, field, &Member::field);
    if (field != nullptr && InAnyCase(unknown) && earlier != members.end()) {
      earlier->value = value;  // the last one counts
    } else {
      members.push_back({field, field == nullptr ? name : std::string_view(field->name), value});
    }
  }
  out.Object([&] {
    for (const Member& member : members) {
      out.Key(member.name);
      if (member.field == nullptr) {
        out.Raw(member.value.Print());
      } else {
        Write(out, member.value, *member.field, unknown);
      }
    }
  });
}

void Write(json::Writer& out, const json::Cursor& in, const SchemaField& schema, Unknown unknown) {
  if (schema.type == SchemaField::Type::kObject && in.IsObject()) {
    WriteMembers(out, in, schema, unknown);
  } else if (schema.type == SchemaField::Type::kList && in.IsArray()) {
    out.Array([&] {
      for (const json::Cursor& element : in.Elements()) {
        Write(out, element, schema.fields.front(), unknown);
      }
    });
  } else if (Quantity quantity; schema.type == SchemaField::Type::kQuantity &&
                                !FitsCustomResource(in) && Read(in, quantity)) {
    out.Value(quantity.Print());
  } else {
    out.Raw(in.Print());
  }
}

}  // namespace

std::string Rewrite(const json::Cursor& in, const SchemaField& schema, Unknown unknown) {
  json::Writer out;
  Write(out, in, schema, unknown);
  return out.Take();
}

}  // namespace ballast::api
