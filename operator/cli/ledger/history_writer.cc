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
  const char* outcome = "";
  std::string reason;
  std::string message;
  std::string error;
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
          .error = entry.error};
}

ShownLine ShownOf(const Gap& gap, Zone) {
  return {.time = gap.from, .until = gap.to, .outcome = "gap", .message = gap.cause};
}

ShownLine ShownOf(const ForeignChangeEntry& entry, Zone zone) {
  const store::ForeignChange& change = entry.change;
  return {.time = change.time,
          .current = change.from,
          .desired = change.to,
          .outcome = "foreign-change",
          .message = DescribeForeignChange(change, zone)};
}

ShownLine ShownOf(const EditEntry& edited, Zone zone) {
  return {.time = edited.edit.time,
          .id = edited.decision,
          .outcome = "edit",
          .message = DescribeEdit(edited.edit, zone)};
}

// What tables alone have of a line.
struct TableWords {
  std::string replicas;
  std::string outcome;
  Colour colour = Colour::kNone;
  std::string lasted;
};

TableWords WordsOf(const Entry& entry) {
  return {Replicas(entry), Outcome(entry), ColourOf(entry.disposition), Lasted(entry)};
}

TableWords WordsOf(const Gap& gap) {
  return {"", "-- gap --", Colour::kYellow, HumanDuration(gap.to - gap.from)};
}

TableWords WordsOf(const ForeignChangeEntry& entry) {
  return {std::to_string(entry.change.from) + " -> " + std::to_string(entry.change.to), "by others",
          Colour::kYellow, ""};
}

TableWords WordsOf(const EditEntry&) { return {"", "edited", Colour::kNone, ""}; }

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

void HistoryWriter::ListTable(RowFields& f, const Line& line) const {
  const bool wide = style_.format == HistoryFormat::kWide;
  const Zone zone = style_.zone;
  const ShownLine shown = std::visit([&](const auto& one) { return ShownOf(one, zone); }, line);
  const TableWords words = std::visit([](const auto& one) { return WordsOf(one); }, line);
  const store::Subject* subject = SubjectOf(line);
  f.Column("TIME (" + cli::NameOf(zone, heading_) + ")", PrintUnder(zone, shown.time, heading_));
  if (wide) {
    f.Column("UNTIL", shown.until ? PrintUnder(zone, *shown.until, heading_) : "");
  }
  if (wide || several()) {
    f.Column("AUTOSCALER", subject == nullptr ? "" : OneLine(NameOf(*subject)));
  }
  if (style_.pods) {
    f.Column("POD", OneLine(PodOf(line)));
  }
  if (wide) {
    f.Column("DECISION", TextOf(shown.id));
  }
  f.Column("REPLICAS", words.replicas);
  f.Column("OUTCOME", Paint(style_.colour ? words.colour : Colour::kNone, words.outcome));
  f.Column("LASTED", words.lasted);
  f.Column("WHY", Why(shown));
}

void HistoryWriter::ListCsv(RowFields& f, const Line& line) const {
  const ShownLine shown =
      std::visit([](const auto& one) { return ShownOf(one, Zone::kUtc); }, line);
  const store::Subject* known = SubjectOf(line);
  const store::Subject subject = known == nullptr ? store::Subject() : *known;
  f.Column("time", Print(shown.time));
  f.Column("until", Print(shown.until.value_or(shown.time)));
  f.Column("evaluations", TextOf(shown.evaluations));
  f.Column("kind", subject.kind);
  f.Column("namespace", subject.key.namespace_);
  f.Column("name", subject.key.name);
  f.Column("uid", subject.uid);
  f.Column("id", TextOf(shown.id));
  f.Column("currentReplicas", TextOf(shown.current));
  f.Column("desiredReplicas", TextOf(shown.desired));
  f.Column("outcome", shown.outcome);
  f.Column("reason", shown.reason);
  f.Column("message", shown.message);
  f.Column("error", shown.error);
  if (style_.pods) {
    f.Column("pod", PodOf(line));
  }
}

std::string HistoryWriter::AddRows(const std::vector<Line>& lines) {
  if (!begun_) {
    heading_ = lines.empty() ? Now() : explain::TimeOf(lines.back());
  }
  const bool headings = !std::exchange(begun_, true) && style_.headers;
  return table_.Add(
      RowsOf(lines, headings, [&](RowFields& f, const Line& line) { ListTable(f, line); }));
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
  const bool headings = !std::exchange(begun_, true) && style_.headers;
  const std::vector<Row> rows =
      RowsOf(lines, headings, [&](RowFields& f, const Line& line) { ListCsv(f, line); });
  std::string text;
  for (const Row& row : rows) {
    text += CsvLine(row);
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
