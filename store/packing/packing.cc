#include "store/packing/packing.h"

#include <algorithm>

namespace ballast::store {
namespace {

constexpr std::int64_t kMilli = 1'000'000;  // nanoseconds

// 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
std::uint64_t ZigZag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t UnZigZag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

std::int64_t UnitOf(std::string_view target) { return target == "Utilization" ? 1000 : 1; }

}  // namespace

void PutVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>(value | 0x80);
  }
  out += static_cast<char>(value);
}

void PutSigned(std::string& out, std::int64_t value) { PutVarint(out, ZigZag(value)); }

void PutOptional(std::string& out, const std::optional<std::int64_t>& value) {
  PutVarint(out, value ? ZigZag(*value) + 1 : 0);
}

void PutText(std::string& out, std::string_view text) {
  PutVarint(out, text.size());
  out += text;
}

std::size_t PackedTexts::IndexOf(std::string_view text) {
  const auto found = texts_.find(text);
  return found != texts_.end() ? found->second : texts_.emplace(text, texts_.size()).first->second;
}

void PackedTexts::Put(std::string& out) const {
  std::vector<std::string_view> in_order(texts_.size());
  for (const auto& [text, index] : texts_) {
    in_order[index] = text;
  }
  PutVarint(out, in_order.size());
  for (const std::string_view text : in_order) {
    PutText(out, text);
  }
}

std::uint64_t PackedInput::Varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) {
      break;
    }
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  Fail();
  return 0;
}

std::int64_t PackedInput::Signed() { return UnZigZag(Varint()); }

std::optional<std::int64_t> PackedInput::Optional() {
  const std::uint64_t shifted = Varint();
  return shifted == 0 ? std::nullopt : std::optional(UnZigZag(shifted - 1));
}

std::string_view PackedInput::Text() { return Take(Varint()); }

std::vector<std::string_view> PackedInput::Texts() {
  std::vector<std::string_view> texts(Count());
  for (std::string_view& text : texts) {
    text = Text();
  }
  return texts;
}

std::string_view PackedInput::Take(std::uint64_t size) {
  if (size > rest_.size()) {
    Fail();
    return {};
  }
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::size_t PackedInput::Count() {
  const std::uint64_t count = Varint();
  if (count > rest_.size()) {
    Fail();
    return 0;
  }
  return count;
}

void PackedInput::Fail() {
  ok_ = false;
  rest_ = {};
}

std::int64_t Plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t Minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t Times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::int64_t Millis(Time time) { return time.unix_nanoseconds() / kMilli; }
std::optional<std::int64_t> Millis(const std::optional<Time>& time) {
  return time ? std::optional(Millis(*time)) : std::nullopt;
}
Time FromMillis(std::int64_t millis) { return Time::FromUnixNanoseconds(Times(millis, kMilli)); }

std::optional<std::int64_t> PackFigure(const std::optional<std::int64_t>& milli,
                                       std::string_view target) {
  return milli ? std::optional(*milli / UnitOf(target)) : std::nullopt;
}
std::optional<std::int64_t> UnpackFigure(const std::optional<std::int64_t>& packed,
                                         std::string_view target) {
  return packed ? std::optional(Times(*packed, UnitOf(target))) : std::nullopt;
}

}  // namespace ballast::store
