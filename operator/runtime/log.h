// The program's log: JSON lines on standard error, a constant message with keys and values.
//
//   log::Info("scaled", {{"policy", key.Print()}, {"from", 3}, {"to", 5}});
//   {"ts":"2026-04-08T02:42:29.500000Z","level":"info","msg":"scaled","policy":"shop/web",...}
//
// Messages are constants, so that they can be counted; what varies is a field. Never log a token.
// Thread-safety: any thread; lines do not mix.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "api/result.h"

namespace ballast::log {

enum class Level { kDebug, kInfo, kWarn, kError };

// "debug", "info", "warn", "error"; anything else is kInvalid.
Result<Level> ParseLevel(std::string_view text);
// What is below is not written. Initially kInfo.
void SetLevel(Level level);

// Valid only as long as what it was made from, which is the whole logging call.
class Field {
 public:
  Field(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  Field(std::string_view key, const char* value) : key_(key), value_(std::string_view(value)) {}
  Field(std::string_view key, const std::string& value)
      : key_(key), value_(std::string_view(value)) {}
  Field(std::string_view key, bool value) : key_(key), value_(value) {}
  Field(std::string_view key, double value) : key_(key), value_(value) {}
  template <std::integral Integer>
  Field(std::string_view key, Integer value)
      : key_(key), value_(static_cast<std::int64_t>(value)) {}

 private:
  friend void Write(Level level, std::string_view message, std::initializer_list<Field> fields);
  std::string_view key_;
  std::variant<std::string_view, bool, double, std::int64_t> value_;
};

void Write(Level level, std::string_view message, std::initializer_list<Field> fields);

inline void Debug(std::string_view message, std::initializer_list<Field> fields = {}) {
  Write(Level::kDebug, message, fields);
}
inline void Info(std::string_view message, std::initializer_list<Field> fields = {}) {
  Write(Level::kInfo, message, fields);
}
inline void Warn(std::string_view message, std::initializer_list<Field> fields = {}) {
  Write(Level::kWarn, message, fields);
}
inline void Error(std::string_view message, std::initializer_list<Field> fields = {}) {
  Write(Level::kError, message, fields);
}

}  // namespace ballast::log
