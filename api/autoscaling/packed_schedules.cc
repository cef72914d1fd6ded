#include "api/autoscaling/packed_schedules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "api/autoscaling/schedule_fields.h"

namespace ballast::api {
namespace {

// Texts and lists begin with their size in one byte, or with this and then eight.
constexpr unsigned char kLong = 255;

class Packer {
 public:
  std::string bytes;

  void operator()(std::string_view /*name*/, const auto& value) { Put(value); }
  void Always(std::string_view /*name*/, const auto& value) { Put(value); }

 private:
  void Put(const std::string& text) {
    Size(text.size());
    bytes += text;
  }
  void Put(const std::vector<std::string>& texts) {
    Size(texts.size());
    for (const std::string& text : texts) {
      Put(text);
    }
  }
  void Put(const std::optional<std::int32_t>& number) {
    bytes += number ? '\1' : '\0';
    if (number) {
      Raw(*number);
    }
  }
  void Size(std::uint64_t size) {
    bytes += static_cast<char>(size < kLong ? size : kLong);
    if (size >= kLong) {
      Raw(size);
    }
  }
  template <typename T>
  void Raw(const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }

  void operator()(std::string_view /*name*/, auto& value) { Take(value); }
  void Always(std::string_view /*name*/, auto& value) { Take(value); }

 private:
  void Take(std::string& text) {
    const std::size_t size = Size();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void Take(std::vector<std::string>& texts) {
    texts.resize(Size());
    for (std::string& text : texts) {
      Take(text);
    }
  }
  void Take(std::optional<std::int32_t>& number) {
    if (Raw<char>() != '\0') {
      number = Raw<std::int32_t>();
    }
  }
  std::size_t Size() {
    const auto size = Raw<unsigned char>();
    return size < kLong ? size : Raw<std::uint64_t>();
  }
  template <typename T>
  T Raw() {
    T value;
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_.remove_prefix(sizeof(value));
    return value;
  }

  std::string_view rest_;
};

template <typename Schedules>
std::string Pack(const Schedules& schedules) {
  Packer packer;
  for (const Schedule& schedule : schedules) {
    Fields(packer, schedule);
  }
  return {packer.bytes.data(), packer.bytes.size()};  // without spare room
}

std::int32_t LongestRamp(const auto& schedules) {
  std::int32_t longest = 0;
  for (const Schedule& schedule : schedules) {
    longest = std::max(longest, schedule.ramp_minutes.value_or(0));
  }
  return longest;
}

}  // namespace

PackedSchedules::PackedSchedules(const std::vector<Schedule>& schedules)
    : bytes_(Pack(schedules)), longest_ramp_minutes_(LongestRamp(schedules)) {}

PackedSchedules::PackedSchedules(std::initializer_list<Schedule> schedules)
    : bytes_(Pack(schedules)), longest_ramp_minutes_(LongestRamp(schedules)) {}

std::vector<Schedule> PackedSchedules::Unpack() const {
  std::vector<Schedule> schedules;
  for (Unpacker unpacker(bytes_); !unpacker.at_end();) {
    Fields(unpacker, schedules.emplace_back());
  }
  return schedules;
}

void Decode(const json::Cursor& in, PackedSchedules& out) {
  std::vector<Schedule> schedules;
  Decode(in, schedules);
  out = schedules;
}

void Encode(json::Writer& out, const PackedSchedules& schedules) {
  Encode(out, schedules.Unpack());
}

}  // namespace ballast::api
