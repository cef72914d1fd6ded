// The ledger's entries for people and for programs.
//
// Thread-safety: pure functions, but for the process's time zone.
#pragma once

#include <string>
#include <vector>

#include "store/reader.h"

namespace ballast::cli {

enum class Zone { kLocal, kUtc };

// One line each, under a line of headings; names the autoscaler in each line if there are several.
std::string HistoryTable(const std::vector<store::Entry>& entries, Zone zone);

// A JSON array, times in UTC and exact.
std::string HistoryJson(const std::vector<store::Entry>& entries);

}  // namespace ballast::cli
