// The program's log: lines of JSON or text on standard error, each a constant message with fields.
//
//   log::Info("scaled", {{"policy", key.Print()}, {"from", 3}, {"to", 5}});
//   {"ts":"2026-04-08T02:42:29.500000Z","level":"info","msg":"scaled","policy":"shop/web",...}
//
// Messages are constants, so that they can be counted; whatever varies is a field. Never log a
// token. Log what can happen again and again with About{object, cause}: it is written once a minute
// for each pair, with the number of lines held back since (`heldBack`). Log actions, such as
// "scaled", without it.
//
// Thread-safety: any thread; lines do not mix.
// Errors: ParseLevel and ParseFormat return kInvalid; a line that cannot be written is lost.
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
// Lower levels are not written. Initially kInfo. May be called at any time.
void SetLevel(Level level);

enum class Format { kJson, kText };

// "json", "text"; anything else is kInvalid.
Result<Format> ParseFormat(std::string_view text);
// Initially kJson. May be called at any time.
void SetFormat(Format format);

// A key and a value. Refers to what it was made from, which lives for the whole logging call.
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

// What a message is about: an object, and one of a limited number of causes (such as the code of an
// error, but not its message, which may differ each time). Refers to its arguments, as Field does.
struct About {
  std::string_view object;
  std::string_view cause = {};
};

void Write(Level level, std::string_view message, std::initializer_list<Field> fields);
// Returns false if the line was held back. A caller that logs changes of a state must then log the
// change again later, or the log's last line shows a state that is over.
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
