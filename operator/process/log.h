// The program's log: lines of JSON or text on standard error, each a constant message with fields.
//
//   log::Info("scaled", {{"autoscaler", autoscaler.Print()}, {"from", 3}, {"to", 5}});
//   {"ts":"2026-04-08T02:42:29.500000Z","level":"info","msg":"scaled","autoscaler":"hpa/shop/web",...}
//
// Messages are constants, so that they can be counted; whatever varies is a field. Never log a
// token. Log what can happen again and again with About{object, cause}: it is written once a minute
// for each pair, with the number of lines held back since (`heldBack`). Log actions, such as
// "scaled", without it.
//
// Thread-safety: any thread; lines do not mix.
// Errors: ParseLevel and ParseFormat return kInvalid; a line that cannot be written is lost.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "operator/process/log_line.h"

namespace ballast::log {

// "debug", "info", "warn", "error"; anything else is kInvalid.
Result<Level> ParseLevel(std::string_view text);
// Lower levels are not written. Initially kInfo. May be called at any time.
void SetLevel(Level level);

enum class LogFormat { kJson, kText };

// "json", "text"; anything else is kInvalid.
Result<LogFormat> ParseFormat(std::string_view text);
// Initially kJson. May be called at any time.
void SetFormat(LogFormat format);

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
