// The program's log: lines of JSON, or of text, on standard error, a constant message with keys and
// values.
//
//   log::Info("scaled", {{"policy", key.Print()}, {"from", 3}, {"to", 5}});
//   {"ts":"2026-04-08T02:42:29.500000Z","level":"info","msg":"scaled","policy":"shop/web",...}
//
// Messages are constants, so that they can be counted; what varies is a field. Never log a token.
// What can happen again and again is logged About(object, cause): once a minute for each, with how
// many were held back since (`heldBack`). What was done, as "scaled", is always told.
// Thread-safety: any thread; lines do not mix.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "api/base/result.h"

namespace ballast::log {

enum class Level { kDebug, kInfo, kWarn, kError };

// "debug", "info", "warn", "error"; anything else is kInvalid.
Result<Level> ParseLevel(std::string_view text);
const char* Name(Level level);
// What is below is not written. Initially kInfo. Any thread's, at any time.
void SetLevel(Level level);

enum class Format { kJson, kText };

// "json", "text"; anything else is kInvalid.
Result<Format> ParseFormat(std::string_view text);
// Initially kJson. Any thread's, at any time.
void SetFormat(Format format);

// Valid only as long as what it was made from, which is the whole logging call.
class Field {
 public:
  using Value = std::variant<std::string_view, bool, double, std::int64_t>;

  Field(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  Field(std::string_view key, const char* value) : key_(key), value_(std::string_view(value)) {}
  Field(std::string_view key, const std::string& value)
      : key_(key), value_(std::string_view(value)) {}
  Field(std::string_view key, bool value) : key_(key), value_(value) {}
  Field(std::string_view key, double value) : key_(key), value_(value) {}
  template <std::integral Integer>
  Field(std::string_view key, Integer value)
      : key_(key), value_(static_cast<std::int64_t>(value)) {}

  std::string_view key() const { return key_; }
  const Value& value() const { return value_; }

 private:
  std::string_view key_;
  Value value_;
};

// What a message is about: which object, and which of the causes that there may be. Text of which
// there is no end (an error's) is no cause. Valid as long as a Field.
struct About {
  std::string_view object;
  std::string_view cause = {};
};

void Write(Level level, std::string_view message, std::initializer_list<Field> fields);
// False: it was held back. Who tells a change tells it again then, or the log ends with what is
// over.
bool Write(Level level, const About& about, std::string_view message,
           std::initializer_list<Field> fields);

inline void Debug(std::string_view message, std::initializer_list<Field> fields = {}) {
  Write(Level::kDebug, message, fields);
}
inline bool Debug(const About& about, std::string_view message,
                  std::initializer_list<Field> fields) {
  return Write(Level::kDebug, about, message, fields);
}
inline void Info(std::string_view message, std::initializer_list<Field> fields = {}) {
  Write(Level::kInfo, message, fields);
}
inline bool Info(const About& about, std::string_view message,
                 std::initializer_list<Field> fields) {
  return Write(Level::kInfo, about, message, fields);
}
inline void Warn(std::string_view message, std::initializer_list<Field> fields = {}) {
  Write(Level::kWarn, message, fields);
}
inline bool Warn(const About& about, std::string_view message,
                 std::initializer_list<Field> fields) {
  return Write(Level::kWarn, about, message, fields);
}
inline void Error(std::string_view message, std::initializer_list<Field> fields = {}) {
  Write(Level::kError, message, fields);
}
inline bool Error(const About& about, std::string_view message,
                  std::initializer_list<Field> fields) {
  return Write(Level::kError, about, message, fields);
}

}  // namespace ballast::log
