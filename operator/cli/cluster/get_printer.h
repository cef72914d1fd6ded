// What `ballast get` prints: all that there are, and each one that has changed since.
//
// Thread-safety: one call at a time.
// Errors: none; standard output is checked at the end (command.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/cli/cluster/summary.h"
#include "operator/cli/terminal/table.h"

namespace ballast::cli {

enum class GetOutput { kTable, kWide, kName, kJson, kYaml };

struct GetStyle {
  GetOutput output = GetOutput::kTable;
  bool headers = true;
  bool unhealthy = false;  // only those that are not ready
  bool watch = false;      // documents come one by one
};

class GetPrinter {
 public:
  explicit GetPrinter(const GetStyle& style) : style_(style) {}

  // Returns how many are shown.
  std::size_t Print(std::vector<Summary> all);
  // Prints it if anything that is shown of it has changed. Of those that are not ready, also that
  // one is ready again.
  void Changed(const Summary& summary);
  // As above; as if its condition were "Deleted".
  void Deleted(Summary summary);

 private:
  static std::string KeyOf(const Summary& summary);
  void PrintRows(const std::vector<Summary>& all, bool headers);
  void PrintOne(const Summary& summary);

  const GetStyle style_;
  Table table_;
  std::map<std::string, std::string> shown_;  // JSON, by KeyOf
};

}  // namespace ballast::cli
