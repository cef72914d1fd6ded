// What `ballast get` prints of autoscalers: the rows of a table, and JSON with the API's names.
#pragma once

#include <string>
#include <vector>

#include "api/base/time.h"
#include "operator/cli/cluster/summary.h"
#include "operator/cli/terminal/table.h"

namespace ballast::cli {

struct AutoscalerTableStyle {
  bool wide = false;  // with targets and messages
  bool headers = true;
  bool colour = false;
  Time now;
};

// The column names, if there are headers, and a row for each.
std::vector<Row> RowsOf(const std::vector<Summary>& all, const AutoscalerTableStyle& style);

std::string JsonOf(const Summary& summary);
// {"items": [...]}
std::string JsonOf(const std::vector<Summary>& all);

}  // namespace ballast::cli
