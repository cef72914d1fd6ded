#include "operator/cli/ledger/history_writer.h"

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "api/json/json_writer.h"
#include "api/json/yaml.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/ledger/line_fields.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/terminal.h"

namespace ballast::cli {
namespace {

using explain::Gap;
using explain::Line;
using store::EditEntry;
using store::Entry;
using store::ForeignChangeEntry;

// Null: a gap, which may be about several. (Of an edit's there may be no decisions in that time.)
const store::Subject* SubjectOf(const Line& line) {
  return std::visit(
      [](const auto& one) -> const store::Subject* {
        if constexpr (requires { one.subject; }) {
          return &one.subject;
        }
        return nullptr;
      },
      line);
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

constexpr std::array<std::string_view, 15> kCsvColumns = {
    "time", "until",           "evaluations",     "kind",    "namespace", "name",    "uid",
    "id",   "currentReplicas", "desiredReplicas", "outcome", "reason",    "message", "error",
    "pod"};
// The last two are a wide table's.
constexpr std::array<std::string_view, 10> kTableCells = {
    "time", "REPLICAS", "OUTCOME", "LASTED", "reason", "message", "error", "pod", "until", "id"};
constexpr std::array<std::string_view, 1> kPod = {"pod"};

LineFields CellsOf(const Line& line, LineFields f) {
  std::visit([&f](const auto& one) { List(f, one); }, line);
  return f;
}

std::string JsonOf(const Line& line) {
  json::Writer out;
  out.Object([&] {
    if (const std::string pod = CellsOf(line, {.columns = kPod})["pod"]; !pod.empty()) {
      out.Field("pod", pod);
    }
    if (const auto* entry = std::get_if<Entry>(&line)) {
      WriteFields(out, *entry);
    } else if (const auto* gap = std::get_if<Gap>(&line)) {
      WriteFields(out, "gap", *gap);
    } else if (const auto* edited = std::get_if<EditEntry>(&line)) {
      WriteFields(out, "edit", *edited);
    } else {
      WriteFields(out, "foreignChange", std::get<ForeignChangeEntry>(line));
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
  LineFields cells =
      CellsOf(line, {.columns = std::span(kTableCells).first(kTableCells.size() - (wide ? 0 : 2)),
                     .zone = zone,
                     .heading = heading_,
                     .colour = style_.colour});
  const store::Subject* subject = SubjectOf(line);
  f.Column("TIME (" + cli::NameOf(zone, heading_) + ")", cells["time"]);
  if (wide) {
    f.Column("UNTIL", cells["until"]);
  }
  if (wide || several()) {
    f.Column("AUTOSCALER", subject == nullptr ? "" : OneLine(NameOf(*subject)));
  }
  if (style_.pods) {
    f.Column("POD", OneLine(cells["pod"]));
  }
  if (wide) {
    f.Column("DECISION", cells["id"]);
  }
  for (const char* column : {"REPLICAS", "OUTCOME", "LASTED"}) {
    f.Column(column, cells[column]);
  }
  std::string why;
  for (const char* part : {"reason", "message", "error"}) {
    if (const std::string& more = cells[part]; !more.empty()) {
      why += (why.empty() ? "" : ": ") + more;
    }
  }
  f.Column("WHY", OneLine(why));
}

void HistoryWriter::ListCsv(RowFields& f, const Line& line) const {
  LineFields cells = CellsOf(line, {.columns = kCsvColumns});
  if (cells["until"].empty()) {
    cells["until"] = cells["time"];
  }
  for (const std::string_view column : kCsvColumns) {
    if (column != "pod" || style_.pods) {
      f.Column(std::string(column), cells[column]);
    }
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
