#include "operator/cli/commands.h"

#include <iostream>
#include <memory>
#include <string>

#include "api/json/json_writer.h"
#include "operator/cli/ledger/decision_source.h"
#include "operator/cli/ledger/exported_decision.h"
#include "operator/cli/options.h"
#include "operator/cli/selection.h"

namespace ballast::cli {
namespace {

enum class Output { kNdjson, kSnapshots };

struct Options {
  DecisionSource source;
  Output output = Output::kNdjson;
};

Status Write(const std::string& line) {
  if (!(std::cout << line << "\n")) {
    return Error{Code::kUnavailable, "standard output could not be written"};
  }
  return Done{};
}

// The snapshot with its decision's id, in the format that `ballast decide` reads; nothing if it was
// not kept.
Status WriteSnapshot(const store::Entry& entry, const std::string& snapshot) {
  if (snapshot.empty()) {
    return Done{};
  }
  json::Writer id;
  id.Value(IdOf(entry));
  return Write("{\"id\":" + id.Take() + "," + snapshot.substr(1));
}

Status WriteSnapshots(const store::FullEntry& decision) {
  TRY(WriteSnapshot(decision.entry, decision.documents.snapshot));
  for (const store::ReasonEntry& reason : decision.reasons) {
    TRY(WriteSnapshot(decision.entry, reason.documents.snapshot));
  }
  return Done{};
}

Result<ExitStatus> Export(const Options& options) {
  ASSIGN_OR_RETURN(const DecisionsRead read,
                   ForEachDecision(options.source, "export", [&](const store::FullEntry& decision) {
                     return options.output == Output::kNdjson ? Write(PrintLine(decision))
                                                              : WriteSnapshots(decision);
                   }));
  const ExitStatus status = TellDamaged(read.damaged);
  return read.whole ? status : ExitStatus::kFoundWrong;
}

ExitStatus Run(const Options& options) {
  const auto status = Export(options);
  return status.ok() ? *status : Refuse("export", status.error().message);
}

}  // namespace

void AddExport(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "export",
      "Print each recorded decision with its inputs, one JSON object a line (asks the "
      "operator's pods, or reads its store)");
  const auto options = std::make_shared<Options>();
  AddDecisionSource(command, options->source);
  AddOutput(command, options->output,
            {{"ndjson", Output::kNdjson}, {"snapshots", Output::kSnapshots}},
            "Everything (ndjson, the default), or only the snapshots, as `ballast decide` reads "
            "them");
  command.OnRun([&command, options, &status] {
    DecisionSource& source = options->source;
    source.of_files = ReadsFiles(command, source.pods);
    status = Run(*options);
  });
}

}  // namespace ballast::cli
