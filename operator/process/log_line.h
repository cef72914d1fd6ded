// Formats a line of the log.
//
//   {"ts":"2026-04-08T02:42:29.500000Z","level":"info","msg":"scaled","policy":"shop/web",...}
//   2026-04-08T02:42:29.500000Z info scaled policy=shop/web from=3 to=5 reason="cpu above target"
//
// Whatever is logged, it stays one line of valid JSON, or of text that cannot control a terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/base/time.h"
#include "operator/process/log.h"

namespace ballast::log {

struct Line {
  Time time;
  Level level;
  std::string_view message;
  std::span<const Field> fields;
  std::uint64_t held_back = 0;  // of its kind, since the last one that was written
};

std::string PrintJson(const Line& line);
std::string PrintText(const Line& line);

}  // namespace ballast::log
