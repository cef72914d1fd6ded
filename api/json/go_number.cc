#include "api/json/go_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "api/json/json_writer.h"

namespace ballast::json {
namespace {

// Up to here each whole number is a double.
constexpr double kAllDigitsCount = 9007199254740992;

void Write(const Cursor& value, Writer& out) {
  double number = 0;
  if (value.IsObject()) {
    out.Object([&] {
      for (const auto& [name, member] : value.Members()) {
        out.Key(name);
        Write(member, out);
      }
    });
  } else if (value.IsArray()) {
    out.Array([&] {
      for (const Cursor& element : value.Elements()) {
        Write(element, out);
      }
    });
  } else if (value.IsNumber() && !value.Integer() && value.Read(number)) {
    out.Raw(PrintGoFloat(number));
  } else {
    out.Raw(value.Print());
  }
}

}  // namespace

std::string PrintGoFloat(double value) {
  const double size = std::abs(value);
  const bool scientific = size != 0 && (size < 1e-6 || size >= 1e21);
  std::array<char, 512> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    scientific ? std::chars_format::scientific : std::chars_format::fixed);
  std::string text(buffer.data(), end.ptr);
  // The digits that tell the number from its neighbours, and then zeros: to_chars has all digits.
  if (!scientific && size >= kAllDigitsCount) {
    const auto shortest = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                        std::chars_format::scientific);
    const std::string_view digits(buffer.data(), shortest.ptr);
    const std::size_t length = text.size();
    text = digits.substr(0, digits.find('e'));
    std::erase(text, '.');
    text.resize(length, '0');
    return text;
  }
  const std::size_t zero = text.find("e-0");
  if (zero != std::string::npos) {
    text.erase(zero + 2, 1);
  }
  return text;
}

std::string PrintAsKubectl(const Cursor& value) {
  Writer out;
  Write(value, out);
  return out.Take();
}

}  // namespace ballast::json
