#include "operator/cli/history_print.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "api/json.h"
#include "api/time.h"

namespace ballast::cli {
namespace {

using store::Entry;
using store::Fate;
using Row = std::vector<std::string>;

std::string Format(Time time, Zone zone, const char* format) {
  const std::time_t seconds = time.unix_seconds();
  std::tm parts{};
  if (zone == Zone::kUtc) {
    gmtime_r(&seconds, &parts);
  } else {
    localtime_r(&seconds, &parts);
  }
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

// "1h5m", "12m", "45s": the two largest units.
std::string Rough(Duration span) {
  const auto seconds = span.nanoseconds / 1'000'000'000;
  const auto units = [](std::int64_t large, const char* name, std::int64_t small,
                        const char* small_name) {
    std::string text = std::to_string(large) + name;
    return small == 0 ? text : text + std::to_string(small) + small_name;
  };
  if (seconds >= 86'400) {
    return units(seconds / 86'400, "d", seconds % 86'400 / 3'600, "h");
  }
  if (seconds >= 3'600) {
    return units(seconds / 3'600, "h", seconds % 3'600 / 60, "m");
  }
  return units(seconds / 60, "m", seconds % 60, "s").substr(seconds < 60 ? 2 : 0);
}

std::string Replicas(const Entry& entry) {
  const std::string current = std::to_string(entry.current_replicas);
  return entry.desired_replicas == entry.current_replicas
             ? current
             : current + " -> " + std::to_string(entry.desired_replicas);
}

std::string Outcome(const Entry& entry) {
  switch (entry.fate) {
    case Fate::kNone:
      return "";
    case Fate::kDryRun:
      return "dry run";
    case Fate::kIntended:
      return "in progress";
    case Fate::kWritten:
      return "written";
    case Fate::kFailed:
      return "failed";
    case Fate::kUnknown:
      return "unknown";
  }
  return "";
}

// How long it lasted, and how often it was evaluated meanwhile.
std::string Lasted(const Entry& entry) {
  if (entry.until == entry.time) {
    return "";
  }
  const std::string text = Rough(entry.until - entry.time);
  if (entry.open) {
    return text + " so far";
  }
  return entry.evaluations ? text + " (" + std::to_string(*entry.evaluations) + "x)" : text;
}

std::string Why(const Entry& entry) {
  std::string text = entry.reason;
  for (const std::string& more : {entry.message, entry.error}) {
    if (!more.empty()) {
      text += (text.empty() ? "" : ": ") + more;
    }
  }
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool Several(const std::vector<Entry>& entries) {
  return std::ranges::any_of(entries, [&](const Entry& entry) {
    return entry.subject.key != entries[0].subject.key ||
           entry.subject.kind != entries[0].subject.kind;
  });
}

// Columns as wide as their widest cell; the last one as it is.
std::string Align(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string HistoryTable(const std::vector<Entry>& entries, Zone zone) {
  const bool several = Several(entries);
  const Time newest = entries.empty() ? Time(0, 0) : entries.back().time;
  std::vector<Row> rows;
  const auto add = [&](std::string time, std::string name, std::string replicas,
                       std::string outcome, std::string lasted, std::string why) {
    Row row = {std::move(time), std::move(replicas), std::move(outcome), std::move(lasted),
               std::move(why)};
    if (several) {
      row.insert(row.begin() + 1, std::move(name));
    }
    rows.push_back(std::move(row));
  };
  add("TIME (" + (zone == Zone::kUtc ? "UTC" : Format(newest, zone, "%Z")) + ")", "AUTOSCALER",
      "REPLICAS", "OUTCOME", "LASTED", "WHY");
  for (const Entry& entry : entries) {
    add(Format(entry.time, zone, "%F %T"), entry.subject.key.Print(), Replicas(entry),
        Outcome(entry), Lasted(entry), Why(entry));
  }
  return Align(rows);
}

std::string HistoryJson(const std::vector<Entry>& entries) {
  json::Writer out;
  out.Array([&] {
    for (const Entry& entry : entries) {
      out.Object([&] {
        out.Field("id", entry.id);
        out.Field("kind", entry.subject.kind);
        out.Field("namespace", entry.subject.key.namespace_);
        out.Field("name", entry.subject.key.name);
        out.Field("uid", entry.subject.uid);
        out.Field("time", Print(entry.time));
        out.Field("until", Print(entry.until));
        out.Field("open", entry.open);
        out.Field("evaluations", entry.evaluations);
        out.Field("currentReplicas", entry.current_replicas);
        out.Field("desiredReplicas", entry.desired_replicas);
        out.Field("reason", entry.reason);
        out.Field("message", entry.message);
        out.Field("outcome", store::Name(entry.fate));
        if (!entry.error.empty()) {
          out.Field("error", entry.error);
        }
        if (entry.settled) {
          out.Field("settled", Print(*entry.settled));
        }
      });
    }
  });
  return out.Take() + "\n";
}

}  // namespace ballast::cli
