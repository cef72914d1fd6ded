#include "api/autoscaling/cron.h"

#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "api/base/lower.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct CronField {
  std::string_view name;
  int low;
  int high;
  std::span<const std::string_view> names;  // of low, low + 1, ...
};

constexpr std::array kFields = {CronField{"minute", 0, 59, {}}, CronField{"hour", 0, 23, {}},
                                CronField{"day of month", 1, 31, {}},
                                CronField{"month", 1, 12, kMonths},
                                CronField{"day of week", 0, 7, kDays}};

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : Split(text, ' ')) {
    if (!word.empty()) {
      words.push_back(word);
    }
  }
  return words;
}

std::optional<int> NumberOf(std::string_view text) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && rest == text.data() + text.size();
  return whole && text.front() != '-' ? std::optional(number) : std::nullopt;
}

Error Wrong(const CronField& field, std::string_view text, const std::string& message) {
  return {Code::kInvalid, std::string(field.name) + ": " + Quote(text) + " " + message};
}

Result<int> ReadValue(const CronField& field, std::string_view text) {
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    if (Lower(std::string(text)) == field.names[i]) {
      return field.low + static_cast<int>(i);
    }
  }
  const auto number = text.empty() ? std::nullopt : NumberOf(text);
  if (!number) {
    return Wrong(field, text,
                 field.names.empty()
                     ? "is no number"
                     : "is neither a number nor a name like " + std::string(field.names[1]));
  }
  if (*number < field.low || *number > field.high) {
    return Wrong(
        field, text,
        "is not between " + std::to_string(field.low) + " and " + std::to_string(field.high));
  }
  return *number;
}

// The numbers of one element of a list: "*", "5", "1-5", with a step ("*/15", "0-30/10").
Result<std::uint64_t> ReadElement(const CronField& field, std::string_view text) {
  const auto parts = Split(text, '/');
  const auto ends = Split(parts.front(), '-');
  const bool all = parts.front() == "*" || parts.front() == "?";
  if (parts.size() > 2 || ends.size() > 2) {
    return Wrong(field, text, "is none of *, 5, 1-5, */15 and 0-30/10");
  }
  int low = field.low;
  int high = field.high;
  if (!all) {
    ASSIGN_OR_RETURN(low, ReadValue(field, ends.front()));
    ASSIGN_OR_RETURN(high, ReadValue(field, ends.back()));
  }
  if (low > high) {
    return Wrong(field, text, "ends before it begins; write two ranges, separated by a comma");
  }
  int step = 1;
  if (parts.size() == 2) {
    if (!all && ends.size() < 2) {
      return Wrong(field, text, "has a step without a range; write */5 or 0-30/5");
    }
    step = parts[1].empty() ? 0 : NumberOf(parts[1]).value_or(0);
    if (step < 1 || step > field.high) {
      return Wrong(field, text,
                   "has a step that is no number from 1 to " + std::to_string(field.high));
    }
  }
  std::uint64_t bits = 0;
  for (int value = low; value <= high; value += step) {
    bits |= std::uint64_t{1} << value;
  }
  return bits;
}

Result<std::uint64_t> ReadField(const CronField& field, std::string_view text) {
  std::uint64_t bits = 0;
  for (const std::string_view element : Split(text, ',')) {
    ASSIGN_OR_RETURN(const std::uint64_t more, ReadElement(field, element));
    bits |= more;
  }
  return bits;
}

// Whether the field of days restricts nothing.
bool IsAny(std::string_view text) {
  return text == "*" || text == "?" || text == "*/1" || text == "?/1";
}

// Whether some year has such a day, by month and day of month.
bool HasAnyDay(const Cron& cron) {
  constexpr std::array kDaysOf = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (int month = 1; month <= 12; ++month) {
    for (int day = 1; day <= kDaysOf.at(static_cast<std::size_t>(month - 1)); ++day) {
      if (cron.HasDay(month, day, 0)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Result<Cron> ParseCron(std::string_view text) {
  const auto words = Words(text);
  if (text.find("TZ=") != std::string_view::npos) {
    return Error{Code::kInvalid, "must not name a zone; set timeZone"};
  }
  if (words.size() != kFields.size()) {
    return Error{Code::kInvalid,
                 "must have five fields (minute, hour, day of month, month, day of week), like "
                 "\"0 8 * * 1-5\", is " +
                     Quote(text) +
                     (words.size() == kFields.size() + 1
                          ? "; seconds are not supported: leave the first field out"
                          : "")};
  }
  std::array<std::uint64_t, kFields.size()> sets{};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    ASSIGN_OR_RETURN(sets.at(i), ReadField(kFields.at(i), words[i]));
  }
  const std::uint64_t sunday = sets[4] >> 7;  // as 7
  const Cron cron{.minutes = sets[0],
                  .hours = static_cast<std::uint32_t>(sets[1]),
                  .days_of_month = static_cast<std::uint32_t>(sets[2]),
                  .months = static_cast<std::uint16_t>(sets[3]),
                  .days_of_week = static_cast<std::uint8_t>((sets[4] & 0x7f) | sunday),
                  .any_day_of_month = IsAny(words[2]),
                  .any_day_of_week = IsAny(words[4])};
  if (cron.any_day_of_week && !HasAnyDay(cron)) {
    return Error{Code::kInvalid, "day of month: none of the months has a day " + Quote(words[2])};
  }
  return cron;
}

}  // namespace ballast::api
