// A JSON value that can be changed, as the model's API server stores objects. Copies share what
// none of them has changed.
//
// Thread-safety: one thread.
// Errors: Parse: kInvalid. Patch: kConflict if one of its tests fails, as kube-apiserver's answer
// to a patch that does not apply counts; then nothing is changed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::faults {

class JsonValue {
 public:
  struct Number {
    std::string text;
    friend bool operator==(const Number&, const Number&) = default;
  };
  using Array = std::vector<JsonValue>;
  using Object = std::map<std::string, JsonValue, std::less<>>;

  JsonValue() = default;  // null
  explicit JsonValue(std::string text) : value_(std::move(text)) {}
  explicit JsonValue(const char* text) : value_(std::string(text)) {}
  explicit JsonValue(std::int64_t number) : value_(Number{std::to_string(number)}) {}
  explicit JsonValue(bool value) : value_(value) {}
  explicit JsonValue(Array elements) : value_(Shared(std::move(elements))) {}

  static Result<JsonValue> Parse(std::string_view text);
  // For texts that the simulator wrote itself.
  static JsonValue Of(std::string_view text) { return Parse(text).value(); }
  std::string Print() const;

  // The member; made if it is absent, and this is made an object.
  JsonValue& operator[](const std::string& name);
  // Null if there is none.
  const JsonValue* Find(std::string_view name) const;
  const Array* Elements() const;  // null: it is no array
  // By names; a null value if there is none.
  const JsonValue& At(std::initializer_list<const char*> path) const;
  void Remove(std::string_view name);
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  std::string Text() const;      // empty if it is no string
  std::int64_t Integer() const;  // 0 if it is no number

  // RFC 7386.
  void Merge(const JsonValue& patch);
  // RFC 6902; elements of arrays are replaced only, not added or removed.
  Status Patch(const JsonValue& patch);

  friend bool operator==(const JsonValue&, const JsonValue&) = default;

 private:
  template <typename T>
  class Shared {
   public:
    explicit Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}
    const T& Get() const { return *value_; }
    T& Own() {
      if (value_.use_count() > 1) {
        value_ = std::make_shared<T>(*value_);
      }
      return *value_;
    }
    friend bool operator==(const Shared& one, const Shared& other) {
      return one.value_ == other.value_ || *one.value_ == *other.value_;
    }

   private:
    std::shared_ptr<T> value_;
  };

  static JsonValue From(const json::Cursor& cursor);
  const Object* Members() const;  // null: it is no object
  Object& OwnMembers();           // it is made one
  void RemoveAt(const std::string& path);
  void PrintTo(json::Writer& out) const;

  std::variant<std::monostate, bool, Number, std::string, Shared<Array>, Shared<Object>> value_;
};

}  // namespace ballast::faults
