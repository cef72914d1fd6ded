// A JSON value that can be changed, as the model's API server stores objects.
//
// Thread-safety: plain values.
// Errors: Parse: kInvalid. Patch: kConflict if one of its tests fails, as kube-apiserver's answer
// to a patch that does not apply counts; then nothing is changed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast::simulation {

class JsonValue {
 public:
  struct Number {
    std::string text;
    friend bool operator==(const Number&, const Number&) = default;
  };
  using Array = std::vector<JsonValue>;
  using Object = std::map<std::string, JsonValue>;

  JsonValue() = default;  // null
  explicit JsonValue(std::string text) : value_(std::move(text)) {}
  explicit JsonValue(const char* text) : value_(std::string(text)) {}
  explicit JsonValue(std::int64_t number) : value_(Number{std::to_string(number)}) {}
  explicit JsonValue(bool value) : value_(value) {}

  static Result<JsonValue> Parse(std::string_view text);
  // For texts that the simulator wrote itself.
  static JsonValue Of(std::string_view text) { return Parse(text).value(); }
  std::string Print() const;

  // The member; made if it is absent, and this is made an object.
  JsonValue& operator[](const std::string& name);
  // Null if there is none.
  const JsonValue* Find(const std::string& name) const;
  // By names; a null value if there is none.
  const JsonValue& At(std::initializer_list<const char*> path) const;
  void Remove(const std::string& name);
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  std::string Text() const;      // empty if it is no string
  std::int64_t Integer() const;  // 0 if it is no number

  // RFC 7386.
  void Merge(const JsonValue& patch);
  // RFC 6902, with paths of objects only.
  Status Patch(const JsonValue& patch);

  friend bool operator==(const JsonValue&, const JsonValue&) = default;

 private:
  static JsonValue From(const json::Cursor& cursor);
  void PrintTo(json::Writer& out) const;

  std::variant<std::monostate, bool, Number, std::string, Array, Object> value_;
};

}  // namespace ballast::simulation
