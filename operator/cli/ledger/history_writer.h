// Prints the lines of a history, which come in parts, as a table, names, JSON, YAML or CSV.
//
// Thread-safety: one thread at a time. It reads the process's time zone, which must not change
// meanwhile.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "operator/cli/row_fields.h"
#include "operator/cli/terminal/table.h"
#include "operator/cli/terminal/times.h"
#include "operator/explain/gaps.h"
#include "store/records.h"

namespace ballast::cli {

enum class HistoryFormat {
  kTable,  // a line for each
  kWide,   // the same with the ends of runs and the numbers of decisions
  kName,   // the autoscalers, each once
  // An array of objects. A gap is {"gap": {"from", "to", "cause"}}, a change by others
  // {"foreignChange": {"time", "from", "to", "manager", ...}}, an edit {"edit": {"time",
  // "field", "before", "after", "manager", "decision", ...}}. Times are UTC and exact.
  kJson,
  kYaml,
  // RFC 4180. The outcome of a gap is "gap", that of a change by others "foreign-change", and
  // that of an edit "edit", with the id of the first decision with it.
  kCsv,
};

struct HistoryStyle {
  HistoryFormat format = HistoryFormat::kTable;
  Zone zone = Zone::kLocal;
  bool headers = true;
  bool colour = false;
  bool endless = false;  // JSON is an object a line instead of an array
  bool pods = false;     // tables and CSV have a column for the pod
  bool names = false;    // tables name the autoscaler, also if the subjects are not several
};

class HistoryWriter {
 public:
  // `subjects`: the autoscalers that the lines may be about; a table names them if they are
  // several.
  HistoryWriter(const HistoryStyle& style, const std::vector<store::Subject>& subjects);

  // The text for these lines, which follow those of the call before. In JSON and YAML the pod whose
  // ledger has a line is the member "pod".
  std::string Add(const std::vector<explain::Line>& lines);
  // What ends the text.
  std::string End();

 private:
  bool several() const { return style_.names || names_.size() > 1; }
  std::string NameOf(const store::Subject& subject) const;
  void ListTable(RowFields& f, const explain::Line& line) const;
  void ListCsv(RowFields& f, const explain::Line& line) const;
  std::string AddRows(const std::vector<explain::Line>& lines);
  std::string AddNames(const std::vector<explain::Line>& lines);
  std::string AddJson(const std::vector<explain::Line>& lines);
  std::string AddYaml(const std::vector<explain::Line>& lines);
  std::string AddCsv(const std::vector<explain::Line>& lines);

  const HistoryStyle style_;
  std::set<std::string> names_;  // of all subjects, with their kinds
  std::set<std::string> kinds_;
  std::set<std::string> printed_;  // names
  Table table_;
  Time heading_;  // of the zone's name in the heading
  bool begun_ = false;
};

// The autoscalers that the lines are about.
std::vector<store::Subject> SubjectsOf(const std::vector<explain::Line>& lines);

}  // namespace ballast::cli
