// Integers, times and texts packed into a few bytes, and read back from bytes that may be damaged.
//
//   PutVarint(out, 3); PutText(out, "cpu");
//   PackedInput in(out);
//   in.Varint(); in.Text();
//   if (!in.ok() || !in.at_end()) ...
//
// Thread-safety: plain values and pure functions. Failure modes: PackedInput::ok(); sums and
// products wrap, for a damaged row may hold anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/time.h"

namespace ballast::store {

// Seven bits a byte, the lowest first.
void PutVarint(std::string& out, std::uint64_t value);
// Small numbers of either sign are short.
void PutSigned(std::string& out, std::int64_t value);
void PutOptional(std::string& out, const std::optional<std::int64_t>& value);
void PutText(std::string& out, std::string_view text);

// The few texts that much of what is packed has in common, which names them by their index.
class PackedTexts {
 public:
  // Adds the text unless it is there.
  std::size_t IndexOf(std::string_view text);
  void Put(std::string& out) const;

 private:
  std::map<std::string, std::size_t, std::less<>> texts_;  // with their indices
};

// Reads what was put; anything wrong is remembered, and from then on all is zero.
class PackedInput {
 public:
  explicit PackedInput(std::string_view data) : rest_(data) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  std::uint64_t Varint();
  std::int64_t Signed();
  std::optional<std::int64_t> Optional();
  std::string_view Text();
  // What PackedTexts::Put put.
  std::vector<std::string_view> Texts();
  // That many bytes.
  std::string_view Take(std::uint64_t size);
  // A number of things that follow, each at least one byte long.
  std::size_t Count();

 private:
  void Fail();

  std::string_view rest_;
  bool ok_ = true;
};

std::int64_t Plus(std::int64_t a, std::int64_t b);
std::int64_t Minus(std::int64_t a, std::int64_t b);
std::int64_t Times(std::int64_t a, std::int64_t b);

// Times are packed in milliseconds since 1970.
std::int64_t Millis(Time time);
std::optional<std::int64_t> Millis(const std::optional<Time>& time);
Time FromMillis(std::int64_t millis);

// A metric's figure, in thousandths, as it is packed for that target: Utilization comes in whole
// percents.
std::optional<std::int64_t> PackFigure(const std::optional<std::int64_t>& milli,
                                       std::string_view target);
std::optional<std::int64_t> UnpackFigure(const std::optional<std::int64_t>& packed,
                                         std::string_view target);

}  // namespace ballast::store
