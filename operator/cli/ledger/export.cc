#include "operator/cli/commands.h"

#include <atomic>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/json/json_writer.h"
#include "operator/cli/ledger/history_print.h"
#include "operator/cli/options.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal/progress.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {
namespace {

enum class Output { kNdjson, kSnapshots };

struct Options {
  Selection selected;
  std::optional<std::int64_t> limit;
  Output output = Output::kNdjson;
};

std::string Record(const store::Entry& entry, const store::Documents& documents,
                   const std::vector<store::ReasonEntry>& reasons) {
  json::Writer out;
  out.Object([&] {
    WriteFields(out, entry);
    const auto document = [&](const char* name, const std::string& text) {
      if (!text.empty()) {
        out.Key(name);
        out.Raw(text);
      }
    };
    document("snapshot", documents.snapshot);
    document("conclusion", documents.conclusion);
    if (!reasons.empty()) {
      out.Array("reasons", [&] {
        for (const store::ReasonEntry& reason : reasons) {
          out.Object([&] {
            out.Field("time", Print(reason.time));
            out.Field("reason", reason.reason);
            out.Field("message", reason.message);
            document("snapshot", reason.documents.snapshot);
            document("conclusion", reason.documents.conclusion);
          });
        }
      });
    }
  });
  return out.Take();
}

// The snapshot with the decision's number as its id, in the format that `ballast decide` reads.
std::string SnapshotOf(const store::Entry& entry, const std::string& snapshot) {
  return R"({"id":")" + std::to_string(entry.id) + R"(",)" + snapshot.substr(1);
}

Status Write(const std::string& line) {
  if (!(std::cout << line << "\n")) {
    return Error{Code::kUnavailable, "standard output could not be written"};
  }
  return Done{};
}

Status Export(const store::Entry& entry, const store::Documents& documents,
              const std::vector<store::ReasonEntry>& reasons, Output output) {
  if (output == Output::kNdjson) {
    return Write(Record(entry, documents, reasons));
  }
  if (!documents.snapshot.empty()) {
    TRY(Write(SnapshotOf(entry, documents.snapshot)));
  }
  for (const store::ReasonEntry& reason : reasons) {
    if (!reason.documents.snapshot.empty()) {
      TRY(Write(SnapshotOf(entry, reason.documents.snapshot)));
    }
  }
  return Done{};
}

Result<ExitStatus> ExportAll(const Options& options) {
  ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.selected.store));
  ASSIGN_OR_RETURN(const auto query, QueryFor(*reader, options.selected));
  ASSIGN_OR_RETURN(const auto newest, LimitTo(*reader, query, options.limit.value_or(0)));
  std::atomic<std::int64_t> exported = 0;  // Progress reads it meanwhile
  {
    const Progress progress = DecisionsSoFar(exported);
    TRY(reader->ForEach(
        newest.query, [&](const store::Entry& entry, const store::Documents& documents) -> Status {
          if (!newest.Has(entry)) {
            return Done{};
          }
          ++exported;
          ASSIGN_OR_RETURN(const auto reasons, reader->Reasons(entry));
          return Export(entry, documents, reasons, options.output);
        }));
  }
  if (newest.limit) {
    std::cerr << DescribeLeftOut(*newest.limit, false, options.selected.zone) << "\n";
  }
  return TellDamaged(reader->damaged());
}

ExitStatus Run(const Options& options) {
  const auto status = ExportAll(options);
  return status.ok() ? *status : Refuse("export", status.error().message);
}

}  // namespace

void AddExport(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "export", "Print each recorded decision with its inputs, one JSON object a line");
  const auto options = std::make_shared<Options>();
  AddSelection(command, options->selected);
  AddLimit(command, options->limit, "all");
  AddOutput(command, options->output,
            {{"ndjson", Output::kNdjson}, {"snapshots", Output::kSnapshots}},
            "Everything (ndjson, the default), or only the snapshots, as `ballast decide` reads "
            "them");
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
