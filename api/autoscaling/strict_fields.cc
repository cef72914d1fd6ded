#include "api/autoscaling/strict_fields.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "api/base/near_names.h"
#include "api/base/time.h"
#include "api/kubernetes/quantity.h"

namespace ballast::api {

namespace {

// The length in characters, as the API server counts it.
std::int64_t Length(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

// YAML reads `off`, for one, as false.
std::string MustBeText(const json::Cursor& in) {
  const bool one_value = in.present() && !in.IsObject() && !in.IsArray();
  return "must be text" + (one_value ? ", is read as " + in.Print() : "") + "; put it in quotes";
}

class ShapeCheck {
 public:
  ShapeCheck(Origin origin, UnknownFields unknown, Values values)
      : origin_(origin),
        is_strict_(unknown == UnknownFields::kRefused),
        refuses_unknown_(is_strict_),
        checks_values_(values == Values::kChecked) {}

  ShapeErrors found;

  void Check(const json::Cursor& in, const SchemaField& schema, const std::string& path) {
    const bool refused_around =
        std::exchange(refuses_unknown_, refuses_unknown_ && !IsOfServers(in, schema));
    CheckValue(in, schema, path);
    refuses_unknown_ = refused_around;
  }

 private:
  using OfServers = SchemaField::OfServers;

  static bool IsOfServers(const json::Cursor& in, const SchemaField& schema) {
    return schema.of_servers == OfServers::kYes ||
           (schema.of_servers == OfServers::kOnceStored && !in.Member("uid").Text().empty());
  }

  void CheckValue(const json::Cursor& in, const SchemaField& schema, const std::string& path) {
    switch (schema.type) {
      case SchemaField::Type::kAny:
        break;
      case SchemaField::Type::kString:
        if (Expect(in.IsString(), path, MustBeText(in))) {
          CheckSize(Length(in.Text()), schema, path, "characters");
          CheckEmptiness(in.Text(), schema, path);
          CheckChoice(in.Text(), schema, path);
        }
        break;
      case SchemaField::Type::kBool:
        Expect(in.IsBool(), path, "must be true or false");
        break;
      case SchemaField::Type::kInt32:
      case SchemaField::Type::kInt64:
        CheckInteger(in, schema, path);
        break;
      case SchemaField::Type::kQuantity:
        CheckQuantity(in, path);
        break;
      case SchemaField::Type::kTime:
        Expect(in.IsString() && ParseTime(in.Text()).ok(), path,
               "must be a time like \"2026-04-08T04:42:29Z\"");
        break;
      case SchemaField::Type::kTextMap:
        if (Expect(in.IsObject(), path, "must be a map of names to texts")) {
          for (const auto& [name, value] : in.Members()) {
            Expect(value.IsString() || !value.present(), path + "." + std::string(name),
                   MustBeText(value));
          }
        }
        break;
      case SchemaField::Type::kList:
        if (Expect(in.IsArray(), path, "must be a list")) {
          CheckSize(static_cast<std::int64_t>(in.Elements().size()), schema, path, "entries");
          std::size_t i = 0;
          for (const json::Cursor& element : in.Elements()) {
            const std::string place = path + "[" + std::to_string(i++) + "]";
            if (!element.IsNull()) {  // upstream decodes a null element as an empty one
              Check(element, schema.fields.front(), place);
            }
          }
        }
        break;
      case SchemaField::Type::kObject:
        if (Expect(in.IsObject(), path, "must be an object with named fields")) {
          CheckMembers(in, schema, path);
        }
        break;
    }
  }

  void Add(const std::string& path, std::string message) {
    found.errors.Add(path, std::move(message));
    Open(path);
  }

  void Open(const std::string& path) {
    if (found.errors.more() == 0) {
      found.open.push_back(path);
    }
  }

  bool Expect(bool holds, const std::string& path, std::string message) {
    if (!holds) {
      Add(path, std::move(message));
    }
    return holds;
  }

  void CheckSize(std::int64_t size, const SchemaField& schema, const std::string& path,
                 const char* unit) {
    if (origin_ == Origin::kCustomResource && schema.maximum) {
      Expect(size <= *schema.maximum, path,
             "must have at most " + std::to_string(*schema.maximum) + " " + unit);
    }
  }

  // Where the schema has no empty text, one would pass for a field that is not set.
  void CheckEmptiness(std::string_view text, const SchemaField& schema, const std::string& path) {
    const bool has_empty =
        schema.minimum.value_or(0) < 1 && schema.allowed.empty() && schema.pattern.empty();
    if (origin_ == Origin::kCustomResource && !has_empty) {
      Expect(!text.empty(), path,
             schema.required ? "must not be empty" : "must not be empty; set it, or leave it out");
    }
  }

  void CheckChoice(std::string_view text, const SchemaField& schema, const std::string& path) {
    if (checks_values_ && !text.empty() && !schema.allowed.empty() &&
        std::ranges::count(schema.allowed, text) == 0) {
      Add(path, NoChoice(std::string(text), schema.allowed));
    }
  }

  void CheckInteger(const json::Cursor& in, const SchemaField& schema, const std::string& path) {
    const auto number = in.Integer();
    const bool wide = schema.type == SchemaField::Type::kInt64;
    const bool whole =
        Expect(number && (wide || (*number >= std::numeric_limits<std::int32_t>::min() &&
                                   *number <= std::numeric_limits<std::int32_t>::max())),
               path, wide ? "must be a whole number" : "must be a whole number of at most 32 bits");
    if (whole && checks_values_ && schema.minimum) {
      Expect(
          *number >= *schema.minimum, path,
          "must be " + std::to_string(*schema.minimum) + " or more, is " + std::to_string(*number));
    }
  }

  void CheckQuantity(const json::Cursor& in, const std::string& path) {
    if (Expect(in.IsString() || in.IsNumber(), path,
               "must be a quantity like \"250m\", \"1.5\" or \"2Gi\"")) {
      if (origin_ == Origin::kCustomResource) {
        Expect(!in.IsNumber() || in.Integer(), path,
               "must be put in quotes, it is no whole number of at most 64 bits");
        Expect(in.Text().find(' ') == std::string_view::npos, path, "must have no spaces");
        Expect(Length(in.Text()) <= kMaxQuantityText, path,
               "must have at most " + std::to_string(kMaxQuantityText) + " characters");
      }
      Quantity ignored;
      json::Decoder decoder(in);
      Read(decoder.root(), ignored);
      if (const Status status = decoder.status(); !status.ok()) {
        Add(path, status.error().message);
      }
    }
  }

  void CheckMembers(const json::Cursor& in, const SchemaField& schema, const std::string& path) {
    std::set<std::string_view> seen;
    for (const auto& [name, value] : in.Members()) {
      const std::string place = Below(path, name);
      const SchemaField* field = schema.Find(name);
      if (!seen.insert(name).second) {
        Add(place, "is set twice; keep one");
      } else if (field == nullptr) {
        if (refuses_unknown_ || (is_strict_ && IsMisspelled(name, schema))) {
          AddUnknown(in, std::string(name), schema, path);
        }
      } else if (value.present()) {
        Check(value, *field, place);
      }
    }
    for (const SchemaField& field : schema.fields) {
      if (checks_values_ && field.required && !in.Member(field.name).present()) {
        Add(Below(path, field.name), "must be set");
      }
    }
  }

  static std::vector<std::string> NamesIn(const SchemaField& schema) {
    std::vector<std::string> names;
    for (const SchemaField& field : schema.fields) {
      names.push_back(field.name);
    }
    return names;
  }

  static bool IsMisspelled(std::string_view name, const SchemaField& schema) {
    return schema.of_servers == OfServers::kOnceStored &&
           !NearNames(std::string(name), NamesIn(schema)).empty();
  }

  void AddUnknown(const json::Cursor& in, const std::string& name, const SchemaField& schema,
                  const std::string& path) {
    std::vector<std::string> names = NamesIn(schema);
    const std::string meant = DidYouMean(name, names);
    Add(Below(path, name),
        "is not known here" +
            (meant.empty() ? "; remove it, or check its spelling and where it stands" : meant));
    for (const std::string& near : NearNames(name, std::move(names))) {
      if (!in.Member(near).present()) {
        Open(Below(path, near));
      }
    }
  }

  static std::string Below(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }

  const Origin origin_;
  const bool is_strict_;
  bool refuses_unknown_;  // where the check is at the moment
  const bool checks_values_;
};

}  // namespace

FieldErrors CheckFields(const json::Cursor& object, const SchemaField& schema, Origin origin,
                        UnknownFields unknown, Values values) {
  return CheckShape(object, schema, origin, unknown, values).errors;
}

ShapeErrors CheckShape(const json::Cursor& object, const SchemaField& schema, Origin origin,
                       UnknownFields unknown, Values values) {
  ShapeCheck check(origin, unknown, values);
  check.Check(object, schema, "");
  return std::move(check.found);
}

}  // namespace ballast::api
