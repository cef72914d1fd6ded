#include "operator/calendar/time_zone.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>

#include "api/base/near_names.h"

namespace ballast::calendar {
namespace {

using Seconds = cctz::time_point<cctz::seconds>;

constexpr cctz::civil_second kEpoch(1970, 1, 1);

Seconds Convert(Time time) { return Seconds(cctz::seconds(time.unix_seconds())); }

std::filesystem::path Folder() {
  const char* folder = std::getenv("TZDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/usr/share/zoneinfo";
}

// The folder has more than zones: tables, the same zones once more with leap seconds ("right/"),
// this machine's own ("localtime") and one for machines that were not set up ("Factory"). cctz
// would read any file, and remember each name that it was asked for.
bool MayBeZone(std::string_view name) {
  constexpr std::string_view kOthers =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' && name != "Factory" &&
         name.find("//") == std::string_view::npos &&
         name.find_first_not_of(kOthers) == std::string_view::npos;
}

// Further names of a zone are links to its file, or copies.
std::string FileOf(const std::string& zone) {
  std::ifstream file(Folder() / zone, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::optional<TimeZone> TimeZone::Find(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, cctz::time_zone> known;  // a look at the file takes longer
  const std::lock_guard lock(mutex);
  const auto found = known.find(name);
  if (found != known.end()) {
    return TimeZone(found->second);
  }
  std::error_code ignored;
  cctz::time_zone zone;
  if (!MayBeZone(name) || !std::filesystem::is_regular_file(Folder() / name, ignored) ||
      !cctz::load_time_zone(name, &zone)) {
    return std::nullopt;
  }
  known.emplace(name, zone);
  return TimeZone(zone);
}

Time TimeZone::At(WallTime wall) const {
  const WallDate date = wall.date();
  const std::int64_t minutes = wall.minutes - date.days * kMinutesOfDay;
  const cctz::civil_day day = cctz::civil_day(kEpoch) + date.days;
  const Seconds at =
      cctz::convert(cctz::civil_second(day) + static_cast<cctz::diff_t>(minutes * 60), zone_);
  return {at.time_since_epoch().count(), 0};
}

WallTime TimeZone::ShownAt(Time time) const {
  const cctz::civil_second shown = zone_.lookup(Convert(time)).cs;
  return calendar::At({cctz::civil_day(shown) - cctz::civil_day(kEpoch)},
                      shown.hour() * 60 + shown.minute());
}

std::string TimeZone::Print(Time time) const {
  return cctz::format("%Y-%m-%dT%H:%M:%S%Ez", Convert(time), zone_);
}

std::vector<std::string> ZoneNames() {
  std::vector<std::string> names;
  std::error_code error;
  const std::filesystem::path folder = Folder();
  for (auto file = std::filesystem::recursive_directory_iterator(folder, error);
       !error && file != std::filesystem::recursive_directory_iterator(); file.increment(error)) {
    const std::string name = file->path().lexically_relative(folder).string();
    std::error_code ignored;
    if (!MayBeZone(name)) {
      file.disable_recursion_pending();
    } else if (file->is_regular_file(ignored)) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

const std::string& DatabaseVersion() {
  static const std::string version = [] {
    constexpr std::string_view kBefore = "# version ";
    std::ifstream file(Folder() / "tzdata.zi");
    std::string line;
    return std::getline(file, line) && line.starts_with(kBefore) ? line.substr(kBefore.size())
                                                                 : std::string();
  }();
  return version;
}

std::string CheckZone(const std::string& name) {
  if (TimeZone::Find(name)) {
    return "";
  }
  std::vector<std::string> names = ZoneNames();
  return names.empty() ? "cannot be looked up: there is no " + Folder().string() +
                             " (the package tzdata; TZDIR names another folder)"
                       : "is not known here" + DidYouMean(name, std::move(names));
}

bool IsSameZone(const std::string& one, const std::string& other) {
  return one == other ||
         (TimeZone::Find(one) && TimeZone::Find(other) && FileOf(one) == FileOf(other));
}

}  // namespace ballast::calendar
