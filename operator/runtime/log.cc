#include "operator/runtime/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <memory>

#include "api/json.h"
#include "api/printable.h"
#include "api/time.h"
#include "api/utf8.h"

namespace ballast::log {
namespace {

spdlog::level::level_enum AsSpdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

const char* Name(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarn:
      return "warn";
    case Level::kError:
      return "error";
  }
  return "?";
}

// Never destroyed: threads may log until the very end.
spdlog::logger& Logger() {
  static spdlog::logger* logger = [] {
    auto* made = new spdlog::logger("ballast", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->set_level(spdlog::level::info);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

std::string Timestamp() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return PrintMicro(
      Time::FromUnixNanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
}

template <typename T>
const T& Valid(const T& value) {
  return value;
}
// A line stays JSON whatever is logged.
std::string Valid(const std::string& text) {
  return FindInvalidUtf8(text) == text.size() ? text : Printable(text);
}

}  // namespace

Result<Level> ParseLevel(std::string_view text) {
  for (const Level level : {Level::kDebug, Level::kInfo, Level::kWarn, Level::kError}) {
    if (text == Name(level)) {
      return level;
    }
  }
  return ballast::Error{Code::kInvalid,
                        "\"" + std::string(text) + "\" is not one of debug, info, warn, error"};
}

void SetLevel(Level level) { Logger().set_level(AsSpdlog(level)); }

void Write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  if (!Logger().should_log(AsSpdlog(level))) {
    return;
  }
  json::Writer line;
  line.Object([&] {
    line.Field("ts", Timestamp());
    line.Field("level", Name(level));
    line.Field("msg", Valid(std::string(message)));
    for (const Field& field : fields) {
      line.Key(field.key_);
      std::visit([&](const auto& value) { line.Value(Valid(value)); }, field.value_);
    }
  });
  Logger().log(AsSpdlog(level), line.Take());
}

}  // namespace ballast::log
