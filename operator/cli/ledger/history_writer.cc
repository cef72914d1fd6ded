#include "operator/cli/ledger/history_writer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "api/base/human_duration.h"
#include "api/json/json_writer.h"
#include "api/json/yaml.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/ledger/history_print.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/terminal.h"

namespace ballast::cli {
namespace {

using explain::Gap;
using explain::Line;
using store::Disposition;
using store::EditEntry;
using store::Entry;
using store::ForeignChangeEntry;

// How long the result stayed the same, and the number of evaluations.
std::string Lasted(const Entry& entry) {
  if (entry.until == entry.time) {
    return "";
  }
  const std::string text = HumanDuration(entry.until - entry.time);
  if (entry.open) {
    return text + " so far";
  }
  return entry.evaluations ? text + " (" + std::to_string(*entry.evaluations) + "x)" : text;
}

Colour ColourOf(Disposition disposition) {
  switch (disposition) {
    case Disposition::kWritten:
      return Colour::kGreen;
    case Disposition::kIntended:
      return Colour::kYellow;
    case Disposition::kFailed:
    case Disposition::kUnknown:
      return Colour::kRed;
    case Disposition::kNone:
    case Disposition::kDryRun:
    case Disposition::kObserved:
      return Colour::kNone;
  }
  return Colour::kNone;
}

// Null: a gap, which may be about several.
const store::Subject* SubjectOf(const Line& line) {
  if (const auto* entry = std::get_if<Entry>(&line)) {
    return &entry->subject;
  }
  if (const auto* edited = std::get_if<EditEntry>(&line)) {
    return &edited->subject;  // of its decisions there may be none in that time
  }
  const auto* foreign = std::get_if<ForeignChangeEntry>(&line);
  return foreign == nullptr ? nullptr : &foreign->subject;
}

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

std::string CsvLine(const Row& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    line += (&cell == &cells.front() ? "" : ",") + Quote(PrintableLines(cell));
  }
  return line + "\r\n";
}

// What tables and CSV show of a line, whatever it is of.
struct ShownLine {
  Time time;
  std::optional<Time> until;
  std::optional<std::int64_t> evaluations;
  std::optional<std::int64_t> id;
  std::optional<std::int32_t> current;
  std::optional<std::int32_t> desired;
  std::string outcome;
  std::string reason;
  std::string message;
  std::string error;
  // In tables:
  std::string replicas;
  std::string words;  // the outcome
  Colour colour = Colour::kNone;
  std::string lasted;
};

ShownLine ShownOf(const Entry& entry, Zone) {
  return {.time = entry.time,
          .until = entry.until,
          .evaluations = entry.evaluations,
          .id = entry.id,
          .current = entry.current_replicas,
          .desired = entry.desired_replicas,
          .outcome = store::Name(entry.disposition),
          .reason = entry.reason,
          .message = entry.message,
          .error = entry.error,
          .replicas = Replicas(entry),
          .words = Outcome(entry),
          .colour = ColourOf(entry.disposition),
          .lasted = Lasted(entry)};
}

ShownLine ShownOf(const Gap& gap, Zone) {
  return {.time = gap.from,
          .until = gap.to,
          .outcome = "gap",
          .message = gap.cause,
          .words = "-- gap --",
          .colour = Colour::kYellow,
          .lasted = HumanDuration(gap.to - gap.from)};
}

ShownLine ShownOf(const ForeignChangeEntry& entry, Zone zone) {
  const store::ForeignChange& change = entry.change;
  return {.time = change.time,
          .current = change.from,
          .desired = change.to,
          .outcome = "foreign-change",
          .message = DescribeForeignChange(change, zone),
          .replicas = std::to_string(change.from) + " -> " + std::to_string(change.to),
          .words = "by others",
          .colour = Colour::kYellow};
}

ShownLine ShownOf(const EditEntry& edited, Zone zone) {
  return {.time = edited.edit.time,
          .id = edited.decision,
          .outcome = "edit",
          .message = DescribeEdit(edited.edit, zone),
          .words = "edited"};
}

std::string Why(const ShownLine& line) {
  std::string text = line.reason;
  for (const std::string& more : {line.message, line.error}) {
    if (!more.empty()) {
      text += (text.empty() ? "" : ": ") + more;
    }
  }
  return OneLine(text);
}

template <typename T>
std::string TextOf(const std::optional<T>& number) {
  return number ? std::to_string(*number) : "";
}

// Whose ledger has it; empty: a file, or nobody's: a gap.
std::string PodOf(const Line& line) {
  if (const auto* entry = std::get_if<Entry>(&line)) {
    return entry->ledger;
  }
  if (const auto* edited = std::get_if<EditEntry>(&line)) {
    return edited->ledger;
  }
  const auto* foreign = std::get_if<ForeignChangeEntry>(&line);
  return foreign == nullptr ? "" : foreign->ledger;
}

std::string JsonOf(const Line& line) {
  json::Writer out;
  out.Object([&] {
    if (const std::string pod = PodOf(line); !pod.empty()) {
      out.Field("pod", pod);
    }
    if (const auto* entry = std::get_if<Entry>(&line)) {
      WriteFields(out, *entry);
    } else if (const auto* gap = std::get_if<Gap>(&line)) {
      WriteGap(out, *gap);
    } else if (const auto* edited = std::get_if<EditEntry>(&line)) {
      out.Object("edit", [&] { WriteFields(out, *edited); });
    } else {
      WriteForeignChange(out, std::get<ForeignChangeEntry>(line));
    }
  });
  return out.Take();
}

}  // namespace

HistoryWriter::HistoryWriter(const HistoryStyle& style, const std::vector<store::Subject>& subjects)
    : style_(style) {
  for (const store::Subject& subject : subjects) {
    names_.insert(subject.kind + " " + subject.key.Print());
    kinds_.insert(subject.kind);
  }
}

std::string HistoryWriter::Add(const std::vector<Line>& lines) {
  switch (style_.format) {
    case HistoryFormat::kTable:
    case HistoryFormat::kWide:
      return AddRows(lines);
    case HistoryFormat::kName:
      return AddNames(lines);
    case HistoryFormat::kJson:
      return AddJson(lines);
    case HistoryFormat::kYaml:
      return AddYaml(lines);
    case HistoryFormat::kCsv:
      return AddCsv(lines);
  }
  return "";
}

std::string HistoryWriter::End() {
  if (style_.format == HistoryFormat::kJson) {
    return begun_ ? "]\n" : "[]\n";
  }
  if (style_.format == HistoryFormat::kYaml) {
    return begun_ ? "" : "[]\n";
  }
  return begun_ ? "" : Add({});
}

std::string HistoryWriter::NameOf(const store::Subject& subject) const {
  return (kinds_.size() > 1 ? subject.kind + " " : "") + subject.key.Print();
}

HistoryWriter::Fields HistoryWriter::FieldsOf(const Line& line) const {
  const bool wide = style_.format == HistoryFormat::kWide;
  const Zone zone = style_.format == HistoryFormat::kCsv ? Zone::kUtc : style_.zone;
  const ShownLine shown = std::visit([&](const auto& one) { return ShownOf(one, zone); }, line);
  const store::Subject* known = SubjectOf(line);
  const store::Subject subject = known == nullptr ? store::Subject() : *known;
  Fields f;
  f.table.Column("TIME (" + cli::NameOf(zone, heading_) + ")",
                 PrintUnder(zone, shown.time, heading_));
  f.csv.Column("time", Print(shown.time));
  if (wide) {
    f.table.Column("UNTIL", shown.until ? PrintUnder(zone, *shown.until, heading_) : "");
  }
  f.csv.Column("until", Print(shown.until.value_or(shown.time)));
  f.csv.Column("evaluations", TextOf(shown.evaluations));
  if (wide || several()) {
    f.table.Column("AUTOSCALER", known == nullptr ? "" : OneLine(NameOf(*known)));
  }
  f.csv.Column("kind", subject.kind);
  f.csv.Column("namespace", subject.key.namespace_);
  f.csv.Column("name", subject.key.name);
  f.csv.Column("uid", subject.uid);
  if (style_.pods) {
    f.table.Column("POD", OneLine(PodOf(line)));
  }
  if (wide) {
    f.table.Column("DECISION", TextOf(shown.id));
  }
  f.csv.Column("id", TextOf(shown.id));
  f.table.Column("REPLICAS", shown.replicas);
  f.csv.Column("currentReplicas", TextOf(shown.current));
  f.csv.Column("desiredReplicas", TextOf(shown.desired));
  f.table.Column("OUTCOME", Paint(style_.colour ? shown.colour : Colour::kNone, shown.words));
  f.csv.Column("outcome", shown.outcome);
  f.table.Column("LASTED", shown.lasted);
  f.table.Column("WHY", Why(shown));
  f.csv.Column("reason", shown.reason);
  f.csv.Column("message", shown.message);
  f.csv.Column("error", shown.error);
  if (style_.pods) {
    f.csv.Column("pod", PodOf(line));
  }
  return f;
}

std::string HistoryWriter::AddRows(const std::vector<Line>& lines) {
  std::vector<Row> rows;
  if (!begun_) {
    heading_ = lines.empty() ? Now() : explain::TimeOf(lines.back());
  }
  if (!begun_ && style_.headers) {
    rows.push_back(FieldsOf(Line()).table.headings);
  }
  begun_ = true;
  for (const Line& line : lines) {
    rows.push_back(FieldsOf(line).table.cells);
  }
  return table_.Add(rows);
}

std::string HistoryWriter::AddNames(const std::vector<Line>& lines) {
  begun_ = true;
  std::string text;
  for (const Line& line : lines) {
    if (const store::Subject* subject = SubjectOf(line)) {
      const std::string name = OneLine(ResourceName(subject->kind, subject->key.name));
      text += printed_.insert(subject->kind + " " + subject->key.Print()).second ? name + "\n" : "";
    }
  }
  return text;
}

std::string HistoryWriter::AddJson(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) {
    text += style_.endless ? "" : begun_ ? "," : "[";
    text += JsonOf(line) + (style_.endless ? "\n" : "");
    begun_ = true;
  }
  return text;
}

std::string HistoryWriter::AddYaml(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) {
    text += JsonTextToYaml("[" + JsonOf(line) + "]");
    begun_ = true;
  }
  return text;
}

std::string HistoryWriter::AddCsv(const std::vector<Line>& lines) {
  std::string text;
  if (!begun_ && style_.headers) {
    text = CsvLine(FieldsOf(Line()).csv.headings);
  }
  begun_ = true;
  for (const Line& line : lines) {
    text += CsvLine(FieldsOf(line).csv.cells);
  }
  return text;
}

std::vector<store::Subject> SubjectsOf(const std::vector<Line>& lines) {
  std::vector<store::Subject> subjects;
  for (const Line& line : lines) {
    if (const store::Subject* subject = SubjectOf(line)) {
      subjects.push_back(*subject);
    }
  }
  return subjects;
}

}  // namespace ballast::cli
