#include "operator/process/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>
#include <string>

#include "operator/process/clock.h"
#include "operator/process/log_limiter.h"

namespace ballast::log {
namespace {

std::atomic<LogFormat> format = LogFormat::kJson;

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

// Never destroyed, nor is the limiter: threads may log until the process ends.
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

Limiter& TheLimiter() {
  static auto* limiter = new Limiter;
  return *limiter;
}

void Write(Level level, std::string_view message, std::initializer_list<Field> fields,
           std::uint64_t held_back) {
  const LogLine line{process::SystemClock().Now(), level, message, fields, held_back};
  Logger().log(AsSpdlog(level), format == LogFormat::kText ? PrintText(line) : PrintJson(line));
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

Result<LogFormat> ParseFormat(std::string_view text) {
  if (text == "json") {
    return LogFormat::kJson;
  }
  if (text == "text") {
    return LogFormat::kText;
  }
  return ballast::Error{Code::kInvalid, "\"" + std::string(text) + "\" is neither json nor text"};
}

void SetLevel(Level level) { Logger().set_level(AsSpdlog(level)); }

void SetFormat(LogFormat chosen) { format = chosen; }

void Write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  if (Logger().should_log(AsSpdlog(level))) {
    Write(level, message, fields, 0);
  }
}

bool Write(Level level, const About& about, std::string_view message,
           std::initializer_list<Field> fields) {
  if (!Logger().should_log(AsSpdlog(level))) {
    return true;
  }
  const auto held_back =
      TheLimiter().Admit(message, about.object, about.cause, process::RealClock().Steady());
  if (held_back) {
    Write(level, message, fields, *held_back);
  }
  return held_back.has_value();
}

}  // namespace ballast::log
