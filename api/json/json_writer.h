// Writes compact JSON and escapes strings, also what a terminal would obey (printable.h). The
// caller must nest the calls properly.
//
//   json::Writer w;
//   w.Object([&] { w.Field("id", id); w.Array("pods", [&] { ... }); });
//
// Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ballast::json {

class Writer {
 public:
  Writer();
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Key(std::string_view name);
  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(bool value);
  void Value(std::int32_t value);
  void Value(std::int64_t value);
  void Value(double value);  // must be finite
  void Null();
  // Copies `json` as it is; it must be one complete JSON value.
  void Raw(std::string_view json);
  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();

  template <typename Body>
  void Object(Body body) {
    BeginObject();
    body();
    EndObject();
  }
  template <typename Body>
  void Array(Body body) {
    BeginArray();
    body();
    EndArray();
  }
  template <typename Body>
  void Object(std::string_view name, Body body) {
    Key(name);
    Object(body);
  }
  template <typename Body>
  void Array(std::string_view name, Body body) {
    Key(name);
    Array(body);
  }
  template <typename T>
  void Field(std::string_view name, const T& value) {
    Key(name);
    Value(value);
  }
  template <typename T>
  void Field(std::string_view name, const std::optional<T>& value) {
    if (value) {
      Field(name, *value);
    }
  }

  // Returns what has been written and starts over.
  std::string Take();

 private:
  struct WriterBuffer;
  std::unique_ptr<WriterBuffer> state_;
};

}  // namespace ballast::json
