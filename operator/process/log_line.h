// Formats a line of the log.
//
//   {"ts":"2026-04-08T02:42:29.500000Z","level":"info","msg":"scaled","autoscaler":"hpa/shop/web",...}
//   2026-04-08T02:42:29.500000Z info scaled autoscaler=hpa/shop/web from=3 to=5 reason="above
//   target"
//
// Whatever is logged, it stays one line of valid JSON, or of text that cannot control a terminal.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "api/base/time.h"

namespace ballast::log {

enum class Level { kDebug, kInfo, kWarn, kError };
const char* Name(Level level);

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

struct LogLine {
  Time time;
  Level level;
  std::string_view message;
  std::span<const Field> fields;
  std::uint64_t held_back = 0;  // of its kind, since the last one that was written
};

std::string PrintJson(const LogLine& line);
std::string PrintText(const LogLine& line);

}  // namespace ballast::log
