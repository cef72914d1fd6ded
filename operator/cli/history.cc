#include "operator/cli/commands.h"

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/history_plot.h"
#include "operator/cli/history_print.h"
#include "operator/cli/options.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal.h"
#include "operator/explain/gaps.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {
namespace {

enum class Output { kTable, kJson, kCsv, kPlot, kHtml };

enum class Charset { kAuto, kAscii, kUtf8 };

struct Options {
  Selection selected;
  bool changes_only = false;
  Output output = Output::kTable;
  Charset charset = Charset::kAuto;
};

Result<std::vector<explain::Line>> Read(const Options& options) {
  ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.selected.store));
  ASSIGN_OR_RETURN(const auto query, QueryFor(*reader, options.selected));
  ASSIGN_OR_RETURN(auto entries, reader->Entries(query));
  ASSIGN_OR_RETURN(auto lines, explain::WithGaps(*reader, std::move(entries)));
  ASSIGN_OR_RETURN(auto foreign_changes, reader->ForeignChanges(query));
  explain::AddForeignChanges(std::move(foreign_changes), lines);
  ASSIGN_OR_RETURN(auto edits, reader->Edits(query));
  explain::AddEdits(std::move(edits), lines);
  if (options.changes_only) {
    std::erase_if(lines, [](const explain::Line& line) {
      const auto* entry = std::get_if<store::Entry>(&line);
      return entry != nullptr && !entry->changes();
    });
  }
  return lines;
}

void Show(const std::vector<explain::Line>& lines, const Options& options) {
  switch (options.output) {
    case Output::kJson:
      std::cout << HistoryJson(lines);
      return;
    case Output::kCsv:
      std::cout << HistoryCsv(lines);
      return;
    case Output::kTable:
    case Output::kPlot:
    case Output::kHtml:
      break;
  }
  if (lines.empty()) {
    const bool span = !options.selected.since.empty() || !options.selected.until.empty();
    const bool some = !options.selected.of.kind.empty() || options.changes_only;
    std::cout << "Nothing " << (some ? "of this kind " : "") << "is recorded"
              << (span   ? " in this time"
                  : some ? ""
                         : " yet")
              << ".\n";
    return;
  }
  std::cout << HistoryTable(lines, options.selected.zone);
}

Result<Picture> Draw(const Options& options) {
  const bool unicode =
      options.charset == Charset::kAuto ? TerminalHasUtf8() : options.charset == Charset::kUtf8;
  ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.selected.store));
  if (options.output == Output::kHtml) {
    return HistoryPage(*reader, options.selected);
  }
  return DrawHistory(*reader, options.selected, {TerminalWidth(), unicode, options.selected.zone});
}

ExitStatus Plot(const Options& options) {
  const auto picture = Draw(options);
  if (!picture.ok()) {
    return Refuse("history", picture.error().message);
  }
  std::cout << picture->text;
  std::cerr << picture->note;
  return ExitStatus::kDone;
}

ExitStatus Run(const Options& options) {
  if (options.output == Output::kPlot || options.output == Output::kHtml) {
    return Plot(options);
  }
  const auto lines = Read(options);
  if (!lines.ok()) {
    return Refuse("history", lines.error().message);
  }
  Show(*lines, options);
  return ExitStatus::kDone;
}

}  // namespace

void AddHistory(CLI::App& program, ExitStatus& status) {
  auto* command = program.add_subcommand(
      "history", "Show what was decided, when, and what became of it (reads the operator's store)");
  const auto options = std::make_shared<Options>();
  AddSelection(*command, options->selected);
  command->add_flag("--changes-only", options->changes_only,
                    "Only decisions that changed the replicas, or would have");
  AddOutput(*command, options->output,
            {{"table", Output::kTable},
             {"json", Output::kJson},
             {"csv", Output::kCsv},
             {"plot", Output::kPlot},
             {"html", Output::kHtml}},
            "table by default; plot: a picture of one autoscaler's last 24 hours; html: a page "
            "with it");
  const std::map<std::string, Charset> charsets = {
      {"auto", Charset::kAuto}, {"ascii", Charset::kAscii}, {"utf-8", Charset::kUtf8}};
  command->add_option("--charset", options->charset, "Characters of plots; auto: as the locale has")
      ->transform(CLI::CheckedTransformer(charsets, CLI::ignore_case))
      ->option_text("auto|ascii|utf-8");
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
