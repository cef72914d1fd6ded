#include "operator/cli/history.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/result.h"
#include "api/time.h"
#include "operator/cli/history_print.h"
#include "operator/cli/near_names.h"
#include "store/reader.h"

namespace ballast::cli {
namespace {

struct Options {
  std::string name;
  std::string store;
  std::string since;
  std::string until;
  std::string output;
  bool utc = false;
};

Time Now() {
  return Time::FromUnixNanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count());
}

// "2026-04-08T14:05:00Z", or a span before now: "2h".
Result<std::optional<Time>> ParseMoment(const std::string& option, const std::string& text) {
  if (text.empty()) {
    return std::optional<Time>();
  }
  if (const auto time = ParseTime(text); time.ok()) {
    return std::optional(*time);
  }
  if (const auto span = ParseDuration(text); span.ok()) {
    return std::optional(Now() - *span);
  }
  return Error{Code::kInvalid, option + ": \"" + text +
                                   "\" is neither a time (2026-04-08T14:05:00Z) nor a span (2h)"};
}

// Whether the store knows the autoscaler; the error suggests others.
Result<api::ObjectKey> FindKey(store::Reader& reader, const std::string& name) {
  ASSIGN_OR_RETURN(const auto subjects, reader.Subjects());
  std::vector<std::string> names;
  for (const auto& subject : subjects) {
    if (subject.key.Print() == name) {
      return subject.key;
    }
    names.push_back(subject.key.Print());
  }
  std::string message = "nothing is recorded of \"" + name + "\"";
  if (name.find('/') == std::string::npos) {
    message += " (give NAMESPACE/NAME)";
  }
  const auto near = NearNames(name, std::move(names));
  for (std::size_t i = 0; i < near.size(); ++i) {
    message += (i == 0 ? "; did you mean " : " or ") + near[i];
  }
  return Error{Code::kNotFound, message + (near.empty() ? "" : "?")};
}

Result<std::vector<store::Entry>> Read(const Options& options) {
  store::HistoryQuery query;
  ASSIGN_OR_RETURN(query.since, ParseMoment("--since", options.since));
  ASSIGN_OR_RETURN(query.until, ParseMoment("--until", options.until));
  ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.store));
  if (!options.name.empty()) {
    ASSIGN_OR_RETURN(query.key, FindKey(*reader, options.name));
  }
  return reader->History(query);
}

ExitStatus Run(const Options& options) {
  const auto entries = Read(options);
  if (!entries.ok()) {
    std::cerr << "ballast history: " << entries.error().message << "\n";
    return ExitStatus::kUsedWrong;
  }
  if (options.output == "json") {
    std::cout << HistoryJson(*entries);
  } else if (entries->empty()) {
    std::cout << "Nothing is recorded"
              << (options.since.empty() && options.until.empty() ? " yet" : " in this time")
              << ".\n";
  } else {
    std::cout << HistoryTable(*entries, options.utc ? Zone::kUtc : Zone::kLocal);
  }
  return ExitStatus::kDone;
}

}  // namespace

void AddHistory(CLI::App& program, ExitStatus& status) {
  auto* command = program.add_subcommand(
      "history", "Show what was decided, when, and what became of it (reads the operator's store)");
  const auto options = std::make_shared<Options>();
  command->add_option("NAME", options->name, "NAMESPACE/NAME of an autoscaler; all when absent");
  command->add_option("--store", options->store, "The operator's database, or a copy of it")
      ->default_val("/var/lib/ballast/ballast.db");
  command->add_option("--since", options->since,
                      "Not what ended before: a time (2026-04-08T14:05:00Z) or a span ago (2h)");
  command->add_option("--until", options->until, "Not what began after: as --since");
  command->add_option("-o,--output", options->output, "table or json")
      ->default_val("table")
      ->check(CLI::IsMember({"table", "json"}));
  command->add_flag("--utc", options->utc, "Show times in UTC instead of the local zone");
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
