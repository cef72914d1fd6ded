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

std::string Why(const Entry& entry) {
  std::string text = entry.reason;
  for (const std::string& more : {entry.message, entry.error}) {
    if (!more.empty()) {
      text += (text.empty() ? "" : ": ") + more;
    }
  }
  return OneLine(text);
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

std::string CsvLine(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    line += (&cell == &cells.front() ? "" : ",") + Quote(PrintableLines(cell));
  }
  return line + "\r\n";
}

std::vector<std::string> CsvCells(const Line& line) {
  if (const auto* gap = std::get_if<Gap>(&line)) {
    return {Print(gap->from),
            Print(gap->to),
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "gap",
            "",
            gap->cause,
            ""};
  }
  if (const auto* foreign_change = std::get_if<ForeignChangeEntry>(&line)) {
    const auto& [subject, change, ledger] = *foreign_change;
    return {Print(change.time),
            Print(change.time),
            "",
            subject.kind,
            subject.key.namespace_,
            subject.key.name,
            subject.uid,
            "",
            std::to_string(change.from),
            std::to_string(change.to),
            "foreign-change",
            "",
            DescribeForeignChange(change, Zone::kUtc),
            ""};
  }
  if (const auto* edited = std::get_if<EditEntry>(&line)) {
    const auto& [subject, edit, decision, ledger] = *edited;
    return {Print(edit.time),
            Print(edit.time),
            "",
            subject.kind,
            subject.key.namespace_,
            subject.key.name,
            subject.uid,
            decision ? std::to_string(*decision) : "",
            "",
            "",
            "edit",
            "",
            DescribeEdit(edit, Zone::kUtc),
            ""};
  }
  const Entry& entry = std::get<Entry>(line);
  return {Print(entry.time),
          Print(entry.until),
          entry.evaluations ? std::to_string(*entry.evaluations) : "",
          entry.subject.kind,
          entry.subject.key.namespace_,
          entry.subject.key.name,
          entry.subject.uid,
          std::to_string(entry.id),
          std::to_string(entry.current_replicas),
          std::to_string(entry.desired_replicas),
          store::Name(entry.disposition),
          entry.reason,
          entry.message,
          entry.error};
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

Row HistoryWriter::Headings() const {
  const bool wide = style_.format == HistoryFormat::kWide;
  Row row = {"TIME (" + cli::NameOf(style_.zone, heading_) + ")"};
  const auto add = [&](bool shown, const char* heading) {
    if (shown) {
      row.emplace_back(heading);
    }
  };
  add(wide, "UNTIL");
  add(wide || several(), "AUTOSCALER");
  add(style_.pods, "POD");
  add(wide, "DECISION");
  for (const char* heading : {"REPLICAS", "OUTCOME", "LASTED", "WHY"}) {
    add(true, heading);
  }
  return row;
}

Row HistoryWriter::RowOf(const Line& line) const {
  const auto paint = [&](Colour colour, const std::string& text) {
    return style_.colour ? Paint(colour, text) : text;
  };
  std::optional<Time> until;
  std::string decision;
  Row rest;
  if (const auto* entry = std::get_if<Entry>(&line)) {
    until = entry->until;
    decision = std::to_string(entry->id);
    rest = {Replicas(*entry), paint(ColourOf(entry->disposition), Outcome(*entry)), Lasted(*entry),
            Why(*entry)};
  } else if (const auto* gap = std::get_if<Gap>(&line)) {
    until = gap->to;
    rest = {"", paint(Colour::kYellow, "-- gap --"), HumanDuration(gap->to - gap->from),
            OneLine(gap->cause)};
  } else if (const auto* edited = std::get_if<EditEntry>(&line)) {
    decision = edited->decision ? std::to_string(*edited->decision) : "";
    rest = {"", "edited", "", OneLine(DescribeEdit(edited->edit, style_.zone))};
  } else {
    const store::ForeignChange& change = std::get<ForeignChangeEntry>(line).change;
    rest = {std::to_string(change.from) + " -> " + std::to_string(change.to),
            paint(Colour::kYellow, "by others"), "",
            OneLine(DescribeForeignChange(change, style_.zone))};
  }
  const bool wide = style_.format == HistoryFormat::kWide;
  const store::Subject* subject = SubjectOf(line);
  Row row = {PrintUnder(style_.zone, explain::TimeOf(line), heading_)};
  if (wide) {
    row.push_back(until ? PrintUnder(style_.zone, *until, heading_) : "");
  }
  if (wide || several()) {
    row.push_back(subject == nullptr ? "" : OneLine(NameOf(*subject)));
  }
  if (style_.pods) {
    row.push_back(OneLine(PodOf(line)));
  }
  if (wide) {
    row.push_back(std::move(decision));
  }
  std::ranges::move(rest, std::back_inserter(row));
  return row;
}

std::string HistoryWriter::AddRows(const std::vector<Line>& lines) {
  std::vector<Row> rows;
  if (!begun_) {
    heading_ = lines.empty() ? Now() : explain::TimeOf(lines.back());
  }
  if (!begun_ && style_.headers) {
    rows.push_back(Headings());
  }
  begun_ = true;
  for (const Line& line : lines) {
    rows.push_back(RowOf(line));
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
    std::vector<std::string> headings = {
        "time", "until",           "evaluations",     "kind",    "namespace", "name",    "uid",
        "id",   "currentReplicas", "desiredReplicas", "outcome", "reason",    "message", "error"};
    if (style_.pods) {
      headings.emplace_back("pod");
    }
    text = CsvLine(headings);
  }
  begun_ = true;
  for (const Line& line : lines) {
    std::vector<std::string> cells = CsvCells(line);
    if (style_.pods) {
      cells.push_back(PodOf(line));
    }
    text += CsvLine(cells);
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
