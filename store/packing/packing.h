// Packs integers, times and texts into a few bytes, and reads them from bytes that may be damaged.
//
//   PutVarint(out, 3); PutText(out, "cpu");
//   PackedInput in(out);
//   in.Varint(); in.Text();
//   if (!in.ok() || !in.at_end()) ...
//
// Errors: PackedInput::ok(). Sums and products wrap, since a damaged row may contain anything.
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

// LEB128: seven bits a byte, the lowest first.
void PutVarint(std::string& out, std::uint64_t value);
// Zigzag: numbers close to 0 are short, whatever their sign.
void PutSigned(std::string& out, std::int64_t value);
void PutOptional(std::string& out, const std::optional<std::int64_t>& value);
void PutText(std::string& out, std::string_view text);

// Texts that occur often: stored once, referred to by their index.
class PackedTexts {
 public:
  // Adds the text if it is new.
  std::size_t IndexOf(std::string_view text);
  void Put(std::string& out) const;

 private:
  std::map<std::string, std::size_t, std::less<>> texts_;  // with their indices
};

// Reads what was packed. After the first error ok() is false, and every number is 0 (or absent) and
// every text empty.
class PackedInput {
 public:
  explicit PackedInput(std::string_view data) : rest_(data) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  std::uint64_t Varint();
  std::int64_t Signed();
  std::optional<std::int64_t> Optional();
  std::string_view Text();
  // What PackedTexts::Put wrote.
  std::vector<std::string_view> Texts();
  // The next `size` bytes.
  std::string_view Take(std::uint64_t size);
  // A number of items that follow, each at least one byte long. An error if they do not fit.
  std::size_t Count();

 private:
  void Fail();

  std::string_view rest_;
  bool ok_ = true;
};

std::int64_t Plus(std::int64_t a, std::int64_t b);
std::int64_t Minus(std::int64_t a, std::int64_t b);
std::int64_t Times(std::int64_t a, std::int64_t b);

// Times are packed as milliseconds since 1970.
std::int64_t Millis(Time time);
std::optional<std::int64_t> Millis(const std::optional<Time>& time);
Time FromMillis(std::int64_t millis);

// A metric's value in thousandths, as it is packed for that target: Utilization in whole percents,
// the others unchanged.
std::optional<std::int64_t> PackFigure(const std::optional<std::int64_t>& milli,
                                       std::string_view target);
std::optional<std::int64_t> UnpackFigure(const std::optional<std::int64_t>& packed,
                                         std::string_view target);

}  // namespace ballast::store
