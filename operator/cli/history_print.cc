#include "operator/cli/history_print.h"

#include <algorithm>
#include <set>

#include "api/autoscaling/types.h"
#include "api/base/rough.h"
#include "operator/cli/table.h"

namespace ballast::cli {
namespace {

using store::Entry;
using store::Fate;

// How long the result stayed the same, and the number of evaluations.
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

// How the autoscalers of several lines are told apart.
class Names {
 public:
  explicit Names(const std::vector<explain::Line>& lines) {
    for (const explain::Line& line : lines) {
      if (const auto* entry = std::get_if<Entry>(&line)) {
        Add(entry->subject);
      } else if (const auto* edit = std::get_if<store::EditEntry>(&line)) {
        Add(edit->subject);  // of its decisions there may be none in that time
      }
    }
  }

  // Whether the lines are about more than one autoscaler.
  bool several() const { return keys_.size() > 1 || kinds_.size() > 1; }
  std::string NameOf(const store::Subject& subject) const {
    return (kinds_.size() > 1 ? subject.kind + " " : "") + subject.key.Print();
  }

 private:
  void Add(const store::Subject& subject) {
    keys_.insert(subject.key);
    kinds_.insert(subject.kind);
  }

  std::set<api::ObjectKey> keys_;
  std::set<std::string> kinds_;
};

// Quotes a CSV cell if it needs that.
std::string Quote(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) {
    return cell;
  }
  std::string quoted = "\"";
  for (const char c : cell) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string CsvLine(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    line += (&cell == &cells.front() ? "" : ",") + Quote(cell);
  }
  return line + "\r\n";
}

}  // namespace

std::string Replicas(const Entry& entry) {
  const std::string current = std::to_string(entry.current_replicas);
  return entry.changes() ? current + " -> " + std::to_string(entry.desired_replicas) : current;
}

std::string Outcome(const Entry& entry) {
  switch (entry.fate) {
    case Fate::kNone:
      return "";
    case Fate::kDryRun:
      return entry.subject.kind == api::kHpaKind ? "shadow" : "dry run";
    case Fate::kIntended:
      return "in progress";
    case Fate::kWritten:
      return "written";
    case Fate::kFailed:
      return "failed";
    case Fate::kUnknown:
      return "unknown";
    case Fate::kObserved:
      return "observed";
  }
  return "";
}

std::string HistoryTable(const std::vector<explain::Line>& lines, Zone zone) {
  const Names names(lines);
  const Time newest = lines.empty() ? Time(0, 0) : explain::TimeOf(lines.back());
  std::vector<Row> rows;
  const auto add = [&](std::string time, std::string name, Row rest) {
    Row row = {std::move(time)};
    if (names.several()) {
      row.push_back(std::move(name));
    }
    row.insert(row.end(), rest.begin(), rest.end());
    rows.push_back(std::move(row));
  };
  add("TIME (" + NameOf(zone, newest) + ")", "AUTOSCALER",
      {"REPLICAS", "OUTCOME", "LASTED", "WHY"});
  for (const explain::Line& line : lines) {
    const std::string time = PrintIn(zone, explain::TimeOf(line));
    if (const auto* entry = std::get_if<Entry>(&line)) {
      add(time, names.NameOf(entry->subject),
          {Replicas(*entry), Outcome(*entry), Lasted(*entry), Why(*entry)});
    } else if (const auto* gap = std::get_if<explain::Gap>(&line)) {
      add(time, "", {"", "-- gap --", Rough(gap->to - gap->from), gap->cause});
    } else if (const auto* edited = std::get_if<store::EditEntry>(&line)) {
      add(time, names.NameOf(edited->subject),
          {"", "edited", "", DescribeEdit(edited->edit, zone)});
    } else {
      const auto& [subject, change] = std::get<store::ForeignChangeEntry>(line);
      add(time, names.NameOf(subject),
          {std::to_string(change.from) + " -> " + std::to_string(change.to), "by others", "",
           DescribeForeignChange(change, zone)});
    }
  }
  return Align(rows);
}

void WriteFields(json::Writer& out, const Entry& entry) {
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
  if (entry.engine > 0) {
    out.Field("engineVersion", entry.engine);
  }
  if (!entry.error.empty()) {
    out.Field("error", entry.error);
  }
  if (entry.settled) {
    out.Field("settled", Print(*entry.settled));
  }
}

void WriteGap(json::Writer& out, const explain::Gap& gap) {
  out.Object("gap", [&] {
    out.Field("from", Print(gap.from));
    out.Field("to", Print(gap.to));
    out.Field("cause", gap.cause);
  });
}

void WriteForeignChange(json::Writer& out, const store::ForeignChangeEntry& foreign_change) {
  const store::Subject& subject = foreign_change.subject;
  const store::ForeignChange& change = foreign_change.change;
  out.Object("changedByOthers", [&] {
    out.Field("kind", subject.kind);
    out.Field("namespace", subject.key.namespace_);
    out.Field("name", subject.key.name);
    out.Field("uid", subject.uid);
    out.Field("time", Print(change.time));
    out.Field("from", change.from);
    out.Field("to", change.to);
    out.Field("manager", change.manager);
    if (change.managed) {
      out.Field("managed", Print(*change.managed));
    }
  });
}

void WriteFields(json::Writer& out, const store::EditEntry& entry) {
  const auto& [subject, edit, decision] = entry;
  out.Field("kind", subject.kind);
  out.Field("namespace", subject.key.namespace_);
  out.Field("name", subject.key.name);
  out.Field("uid", subject.uid);
  out.Field("time", Print(edit.time));
  out.Field("field", edit.field);
  out.Field("before", edit.before);
  out.Field("after", edit.after);
  out.Field("manager", edit.manager);
  if (edit.managed) {
    out.Field("managed", Print(*edit.managed));
  }
  out.Field("decision", decision);
}

std::string DescribeEdit(const store::Edit& edit, Zone zone) {
  std::string text = edit.field;
  if (!edit.before.empty() || !edit.after.empty()) {
    text += " " + (edit.before.empty() ? "(none)" : edit.before) + " -> " +
            (edit.after.empty() ? "(none)" : edit.after);
  }
  if (!edit.manager.empty()) {
    text += " by " + edit.manager;
  }
  if (edit.managed) {
    text += " at " + PrintNear(zone, *edit.managed, edit.time);
  }
  if (edit.field == store::kWholeSpec) {
    text += ", while this operator did not watch it";
  }
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string DescribeForeignChange(const store::ForeignChange& change, Zone zone) {
  return (change.manager.empty() ? "another client" : change.manager) + " set the replicas" +
         (change.managed ? " at " + PrintNear(zone, *change.managed, change.time) : "");
}

std::string HistoryJson(const std::vector<explain::Line>& lines) {
  json::Writer out;
  out.Array([&] {
    for (const explain::Line& line : lines) {
      out.Object([&] {
        if (const auto* entry = std::get_if<Entry>(&line)) {
          WriteFields(out, *entry);
          return;
        }
        if (const auto* gap = std::get_if<explain::Gap>(&line)) {
          WriteGap(out, *gap);
          return;
        }
        if (const auto* edited = std::get_if<store::EditEntry>(&line)) {
          out.Object("edited", [&] { WriteFields(out, *edited); });
          return;
        }
        WriteForeignChange(out, std::get<store::ForeignChangeEntry>(line));
      });
    }
  });
  return out.Take() + "\n";
}

std::string HistoryCsv(const std::vector<explain::Line>& lines) {
  std::string text =
      CsvLine({"time", "until", "evaluations", "kind", "namespace", "name", "uid", "id",
               "currentReplicas", "desiredReplicas", "outcome", "reason", "message", "error"});
  for (const explain::Line& line : lines) {
    if (const auto* gap = std::get_if<explain::Gap>(&line)) {
      text += CsvLine({Print(gap->from), Print(gap->to), "", "", "", "", "", "", "", "", "gap", "",
                       gap->cause, ""});
      continue;
    }
    if (const auto* foreign_change = std::get_if<store::ForeignChangeEntry>(&line)) {
      const auto& [subject, change] = *foreign_change;
      text += CsvLine({Print(change.time), Print(change.time), "", subject.kind,
                       subject.key.namespace_, subject.key.name, subject.uid, "",
                       std::to_string(change.from), std::to_string(change.to), "by-others", "",
                       DescribeForeignChange(change, Zone::kUtc), ""});
      continue;
    }
    if (const auto* edited = std::get_if<store::EditEntry>(&line)) {
      const auto& [subject, edit, decision] = *edited;
      text += CsvLine({Print(edit.time), Print(edit.time), "", subject.kind, subject.key.namespace_,
                       subject.key.name, subject.uid, decision ? std::to_string(*decision) : "", "",
                       "", "edited", "", DescribeEdit(edit, Zone::kUtc), ""});
      continue;
    }
    const Entry& entry = std::get<Entry>(line);
    text += CsvLine({Print(entry.time), Print(entry.until),
                     entry.evaluations ? std::to_string(*entry.evaluations) : "",
                     entry.subject.kind, entry.subject.key.namespace_, entry.subject.key.name,
                     entry.subject.uid, std::to_string(entry.id),
                     std::to_string(entry.current_replicas), std::to_string(entry.desired_replicas),
                     store::Name(entry.fate), entry.reason, entry.message, entry.error});
  }
  return text;
}

}  // namespace ballast::cli
