#include "operator/process/log_line.h"

#include "api/base/printable.h"
#include "api/base/utf8.h"
#include "api/json/json_writer.h"

namespace ballast::log {
namespace {

constexpr const char* kHeldBack = "heldBack";

std::string AsJson(const auto& value) {
  json::Writer text;
  text.Value(value);
  return text.Take();
}

template <typename T>
const T& Valid(const T& value) {
  return value;
}
std::string Valid(const std::string_view& text) {
  return FindInvalidUtf8(text) == text.size() ? std::string(text) : Printable(text);
}

std::string ValueText(const auto& value) { return AsJson(value); }
// Quoted if it would not be read as one word.
std::string ValueText(const std::string_view& value) {
  const std::string text = Printable(value);
  return text.empty() || text.find_first_of(" =\"\\") != std::string::npos ? AsJson(text) : text;
}

}  // namespace

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

std::string PrintJson(const LogLine& line) {
  json::Writer out;
  out.Object([&] {
    out.Field("ts", PrintMicro(line.time));
    out.Field("level", Name(line.level));
    out.Field("msg", Valid(line.message));
    for (const Field& field : line.fields) {
      out.Key(field.key());
      std::visit([&](const auto& value) { out.Value(Valid(value)); }, field.value());
    }
    if (line.held_back > 0) {
      out.Field(kHeldBack, static_cast<std::int64_t>(line.held_back));
    }
  });
  return out.Take();
}

std::string PrintText(const LogLine& line) {
  std::string out = PrintMicro(line.time) + " " + Name(line.level) + " " + Printable(line.message);
  for (const Field& field : line.fields) {
    out.append(" ").append(field.key()).append("=");
    out += std::visit([](const auto& value) { return ValueText(value); }, field.value());
  }
  if (line.held_back > 0) {
    out.append(" ").append(kHeldBack).append("=").append(std::to_string(line.held_back));
  }
  return out;
}

}  // namespace ballast::log
