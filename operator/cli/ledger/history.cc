#include "operator/cli/commands.h"

#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/ledger/history_plot.h"
#include "operator/cli/ledger/history_print.h"
#include "operator/cli/ledger/history_source.h"
#include "operator/cli/ledger/history_writer.h"
#include "operator/cli/ledger/ledger_watch.h"
#include "operator/cli/options.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/explain/gaps.h"
#include "operator/explain/new_lines.h"
#include "operator/os/output.h"

namespace ballast::cli {
namespace {

enum class Output { kTable, kWide, kName, kJson, kYaml, kCsv, kPlot, kPlotJson };

enum class Charset { kAuto, kAscii, kUtf8 };

// What fits on a few screens, and in memory.
constexpr std::int64_t kDefaultLimit = 1000;
constexpr int kMostColumns = 10'000;
// How often pods are asked what has come, and several files read.
constexpr Duration kBetweenQuestions = Duration::Seconds(5);

struct Options {
  Selection selected;
  PodOptions pods;
  bool of_files = true;
  bool changes_only = false;
  bool follow = false;
  bool no_headers = false;
  std::optional<std::int64_t> limit;  // 0: none
  Output output = Output::kTable;
  Charset charset = Charset::kAuto;
  int columns = 120;  // of a plot in JSON
};

// Nullopt: it is none.
std::optional<PictureFormat> PictureOf(Output output) {
  switch (output) {
    case Output::kPlot:
      return PictureFormat::kText;
    case Output::kPlotJson:
      return PictureFormat::kJson;
    default:
      return std::nullopt;
  }
}

// `ledgers`: how many may be asked; 0: it is one file.
HistoryStyle StyleOf(const Options& options, std::size_t ledgers) {
  static const std::map<Output, HistoryFormat> kFormats = {
      {Output::kTable, HistoryFormat::kTable}, {Output::kWide, HistoryFormat::kWide},
      {Output::kName, HistoryFormat::kName},   {Output::kJson, HistoryFormat::kJson},
      {Output::kYaml, HistoryFormat::kYaml},   {Output::kCsv, HistoryFormat::kCsv}};
  return {
      .format = kFormats.at(options.output),
      .zone = options.selected.zone,
      .headers = !options.no_headers,
      .colour = TerminalHasColour(),
      .endless = options.follow,
      .pods = ledgers > 1 || (ledgers > 0 && (options.follow || options.output == Output::kCsv)),
      // Others may come.
      .names = options.follow && options.selected.of.name.empty()};
}

// Prints lines as they come. A table knows its columns only from all of its lines, so the first
// part waits until it is known whether there are more.
class Lines {
 public:
  Lines(const Options& options, std::size_t ledgers) : options_(options), ledgers_(ledgers) {}

  Status Add(std::vector<explain::Line> lines, store::History& history,
             const store::HistoryQuery& query) {
    if (options_.changes_only) {
      std::erase_if(lines, [](const explain::Line& line) {
        const auto* entry = std::get_if<store::Entry>(&line);
        return entry != nullptr && !entry->changes();
      });
    }
    if (writer_) {
      return Write(writer_->Add(lines));
    }
    if (first_.empty()) {
      first_ = std::move(lines);
      return Done{};
    }
    TRY(Begin(history, query));
    return Write(writer_->Add(lines));
  }

  // Prints what waits, and names all autoscalers of which there may be lines.
  Status Begin(store::History& history, const store::HistoryQuery& query) {
    ASSIGN_OR_RETURN(auto subjects, history.Subjects());
    std::erase_if(subjects, [&](const store::Subject& subject) {
      return (query.key && subject.key != *query.key) ||
             (!query.kind.empty() && subject.kind != query.kind) ||
             (!query.key && !query.namespace_.empty() &&
              subject.key.namespace_ != query.namespace_);
    });
    writer_.emplace(StyleOf(options_, ledgers_), subjects);
    return Write(writer_->Add(std::exchange(first_, {})));
  }

  // Nothing follows.
  Status End() {
    if (!writer_) {
      if (first_.empty() && IsTable()) {
        return Write(NothingRecorded(options_.selected, options_.changes_only));
      }
      writer_.emplace(StyleOf(options_, ledgers_), SubjectsOf(first_));
      TRY(Write(writer_->Add(first_)));
    }
    return Write(writer_->End());
  }

  bool begun() const { return writer_.has_value(); }

 private:
  bool IsTable() const {
    return options_.output == Output::kTable || options_.output == Output::kWide;
  }

  static Status Write(const std::string& text) {
    std::cout << text << std::flush;
    return std::cout ? Status(Done{})
                     : Error{Code::kUnavailable, "standard output could not be written"};
  }

  const Options& options_;
  const std::size_t ledgers_;
  std::vector<explain::Line> first_;
  std::optional<HistoryWriter> writer_;
};

// Says what --limit leaves out.
void TellLeftOut(const std::optional<store::Newest>& newest, const Options& options) {
  if (newest) {
    std::cerr << DescribeLeftOut(*newest, options.changes_only, options.selected.zone) << "\n";
  }
}

// 0: all.
std::int64_t LimitOf(const Options& options) {
  return options.limit.value_or(options.selected.since.empty() ? kDefaultLimit : 0);
}

// Those to which --limit leads; nullopt: all.
Result<std::optional<store::Newest>> Limit(store::History& history,
                                           const store::HistoryQuery& query,
                                           const Options& options) {
  const std::int64_t limit = LimitOf(options);
  return limit == 0 ? std::optional<store::Newest>() : history.FindNewest(query, limit);
}

store::Place BeginOf(const std::optional<store::Newest>& newest) {
  return newest ? newest->from : store::Place();
}

// What is to be printed of a history.
Result<store::HistoryQuery> QueryOf(store::History& history, const Selection& selected,
                                    const Options& options) {
  ASSIGN_OR_RETURN(auto query, QueryFor(history, selected));
  query.changes_only = options.changes_only;
  return query;
}

std::size_t LedgersOf(HistorySource& source) {
  return source.merged() == nullptr ? 0 : source.merged()->ledgers().size();
}

Result<ExitStatus> Print(const Options& options) {
  Selection selected = options.selected;
  ASSIGN_OR_RETURN(auto source,
                   HistorySource::Open(options.of_files, selected, options.pods, "history"));
  store::History& history = source.history();
  ASSIGN_OR_RETURN(const auto query, QueryOf(history, selected, options));
  ASSIGN_OR_RETURN(const auto newest, Limit(history, query, options));
  Lines lines(options, LedgersOf(source));
  TRY(explain::ForEachLine(history, query, BeginOf(newest), [&](std::vector<explain::Line> part) {
    return lines.Add(std::move(part), history, query);
  }));
  TRY(lines.End());
  TellLeftOut(newest, options);
  if (!newest) {
    TRY(TellDeleted(history, query, selected.zone));
  }
  return source.TellLost() ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

// Waits until there may be more, and looks where that is. False: nobody reads any more.
Result<bool> AwaitMore(HistorySource& source, std::optional<LedgerWatch>& file,
                       const Options& options) {
  if (options.of_files) {
    if (!(file ? file->Wait() : os::StaysRead(STDOUT_FILENO, kBetweenQuestions))) {
      return false;
    }
    // A damaged file is replaced by another.
    Selection selected = options.selected;
    ASSIGN_OR_RETURN(source, HistorySource::Open(true, selected, options.pods, "history"));
    return true;
  }
  source.TellLost();
  if (!os::StaysRead(STDOUT_FILENO, kBetweenQuestions)) {
    return false;
  }
  source.pods()->LookAgain();
  return true;
}

// Prints what there is, then what comes, until nobody reads it any more.
Result<ExitStatus> Follow(const Options& options) {
  // The watch begins before the first look, so that nothing is missed.
  std::optional<LedgerWatch> file;
  if (options.of_files && options.selected.stores.size() == 1) {
    ASSIGN_OR_RETURN(auto watch, LedgerWatch::Of(options.selected.stores.front()));
    file.emplace(std::move(watch));
  }
  Selection selected = options.selected;
  ASSIGN_OR_RETURN(auto source,
                   HistorySource::Open(options.of_files, selected, options.pods, "history"));
  ASSIGN_OR_RETURN(const auto query, QueryOf(source.history(), selected, options));
  ASSIGN_OR_RETURN(const auto newest, Limit(source.history(), query, options));
  TellLeftOut(newest, options);
  if (!newest) {
    TRY(TellDeleted(source.history(), query, selected.zone));
  }
  explain::NewLines news(query, BeginOf(newest));
  Lines lines(options, LedgersOf(source));
  for (;;) {
    const Status read = news.Read(source.history(), Now(), [&](std::vector<explain::Line> part) {
      return lines.Add(std::move(part), source.history(), query);
    });
    if (!read.ok() && (options.of_files || !std::cout)) {
      return read.error();
    }
    if (options.of_files && !source.TellLost()) {
      return ExitStatus::kFoundWrong;
    }
    // Pods that all went away may come back.
    if (read.ok() && !lines.begun()) {
      TRY(lines.Begin(source.history(), query));
    }
    ASSIGN_OR_RETURN(const bool more, AwaitMore(source, file, options));
    if (!more) {
      return ExitStatus::kDone;
    }
  }
}

PictureStyle PictureStyleOf(const Options& options) {
  const bool unicode =
      options.charset == Charset::kAuto ? TerminalHasUtf8() : options.charset == Charset::kUtf8;
  return {*PictureOf(options.output),
          {TerminalWidth(), unicode, options.selected.zone},
          static_cast<std::size_t>(options.columns)};
}

Result<ExitStatus> Plot(const Options& options) {
  if (options.follow || options.limit || options.no_headers || options.changes_only) {
    return Error{Code::kInvalid,
                 "--follow, --limit, --changes-only and --no-headers are not for pictures"};
  }
  Selection selected = options.selected;
  ASSIGN_OR_RETURN(auto source,
                   HistorySource::Open(options.of_files, selected, options.pods, "history"));
  store::History& history = source.history();
  const PictureStyle style = PictureStyleOf(options);
  ASSIGN_OR_RETURN(const auto plot, ReadPlot(history, selected, ColumnsFor(style)));
  TRY(TellDeleted(history, {.since = plot.from, .namespace_ = plot.subject.key.namespace_},
                  selected.zone));
  const bool whole = source.TellLost();
  const ExitStatus status = TellDamaged(history.damaged());
  const Picture picture = Draw(plot, style);
  std::cout << picture.text;
  std::cerr << picture.note;
  return whole ? status : ExitStatus::kFoundWrong;
}

ExitStatus Run(const Options& options) {
  const auto status = PictureOf(options.output) ? Plot(options)
                      : options.follow          ? Follow(options)
                                                : Print(options);
  return status.ok() ? *status : Refuse("history", status.error().message);
}

}  // namespace

void AddHistory(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand("history",
                                        "Show what was decided, when, and what became of it (asks "
                                        "the operator's pods, or reads its store)");
  const auto options = std::make_shared<Options>();
  AddSelection(command, options->selected);
  command.AddFlag("--changes-only", options->changes_only,
                  "Only decisions that changed the replicas, or would have");
  command
      .AddFlag("-f,--follow", options->follow,
               "Go on printing what is recorded from now on, once its outcome is known")
      .Excludes("--until");
  AddLimit(command, options->limit, "1000, with --since all");
  AddNoHeaders(command, options->no_headers);
  AddOutput(command, options->output,
            {{"table", Output::kTable},
             {"wide", Output::kWide},
             {"name", Output::kName},
             {"json", Output::kJson},
             {"yaml", Output::kYaml},
             {"csv", Output::kCsv},
             {"plot", Output::kPlot},
             {"plot-json", Output::kPlotJson}},
            "table by default; plot: a picture of one autoscaler's last 24 hours; plot-json: what "
            "it shows");
  command.AddOption("--columns", options->columns, "Columns of plot-json")
      .Between(1, kMostColumns)
      .ShowDefault();
  command
      .AddChoice("--charset", options->charset,
                 {{"ascii", Charset::kAscii}, {"auto", Charset::kAuto}, {"utf-8", Charset::kUtf8}},
                 "Characters of plots; auto: as the locale has")
      .ShowValues("auto|ascii|utf-8");
  AddPods(command, options->pods);
  command.OnCheck([&command, options]() -> Status {
    if (command.Given("--columns") && options->output != Output::kPlotJson) {
      return Error{Code::kInvalid, "--columns is for -o plot-json"};
    }
    if (command.Given("--charset") && options->output != Output::kPlot) {
      return Error{Code::kInvalid, "--charset is for -o plot"};
    }
    return Done{};
  });
  command.OnRun([&command, options, &status] {
    options->of_files = ReadsFiles(command, options->pods);
    status = Run(*options);
  });
}

}  // namespace ballast::cli
