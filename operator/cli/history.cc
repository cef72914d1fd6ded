#include "operator/cli/commands.h"

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/cli/ask_pods.h"
#include "operator/cli/history_plot.h"
#include "operator/cli/history_print.h"
#include "operator/cli/history_writer.h"
#include "operator/cli/ledger_watch.h"
#include "operator/cli/options.h"
#include "operator/cli/pods_history.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal.h"
#include "operator/explain/gaps.h"
#include "operator/explain/new_lines.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {
namespace {

enum class Output { kTable, kWide, kName, kJson, kYaml, kCsv, kPlot, kHtml };

enum class Charset { kAuto, kAscii, kUtf8 };

// What fits on a few screens, and in memory.
constexpr std::int64_t kDefaultLimit = 1000;

struct Options {
  Selection selected;
  PodOptions pods;
  bool changes_only = false;
  bool follow = false;
  bool no_headers = false;
  std::optional<std::int64_t> limit;  // 0: none
  Output output = Output::kTable;
  Charset charset = Charset::kAuto;

  bool picture() const { return output == Output::kPlot || output == Output::kHtml; }
};

HistoryStyle StyleOf(const Options& options) {
  static const std::map<Output, HistoryFormat> kFormats = {
      {Output::kTable, HistoryFormat::kTable}, {Output::kWide, HistoryFormat::kWide},
      {Output::kName, HistoryFormat::kName},   {Output::kJson, HistoryFormat::kJson},
      {Output::kYaml, HistoryFormat::kYaml},   {Output::kCsv, HistoryFormat::kCsv}};
  return {.format = kFormats.at(options.output),
          .zone = options.selected.zone,
          .headers = !options.no_headers,
          .colour = TerminalHasColour(),
          .endless = options.follow};
}

// Prints lines as they come. A table knows its columns only from all of its lines, so the first
// part waits until it is known whether there are more.
class Lines {
 public:
  explicit Lines(const Options& options) : options_(options) {}

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
    writer_.emplace(StyleOf(options_), subjects);
    return Write(writer_->Add(std::exchange(first_, {})));
  }

  // Nothing follows.
  Status End() {
    if (!writer_) {
      if (first_.empty() && IsTable()) {
        return Write(NothingRecorded(options_.selected, options_.changes_only));
      }
      writer_.emplace(StyleOf(options_), SubjectsOf(first_));
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
  std::vector<explain::Line> first_;
  std::optional<HistoryWriter> writer_;
};

// Says what --limit leaves out.
void TellLeftOut(const std::optional<store::Newest>& newest, const Options& options) {
  if (!newest) {
    return;
  }
  const Zone zone = options.selected.zone;
  const bool one = newest->left_out == 1;
  std::cerr << newest->left_out << " earlier " << (options.changes_only ? "change" : "decision")
            << (one ? "" : "s") << ", from " << PrintIn(zone, newest->oldest) << " "
            << NameOf(zone, newest->oldest) << (one ? " on, is" : " on, are")
            << " left out: --limit 0 shows all\n";
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
  return limit == 0 ? std::optional<store::Newest>()
                    : history.FindNewest(query, limit, options.changes_only);
}

store::Place BeginOf(const std::optional<store::Newest>& newest) {
  return newest ? newest->from : store::Place();
}

Status Print(const Options& options) {
  ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.selected.store));
  ASSIGN_OR_RETURN(const auto query, QueryFor(*reader, options.selected));
  ASSIGN_OR_RETURN(const auto newest, Limit(*reader, query, options));
  Lines lines(options);
  TRY(explain::ForEachLine(*reader, query, BeginOf(newest), [&](std::vector<explain::Line> part) {
    return lines.Add(std::move(part), *reader, query);
  }));
  TRY(lines.End());
  TellLeftOut(newest, options);
  return Done{};
}

// Prints what there is, then what comes, until nobody reads it any more.
Status Follow(const Options& options) {
  // The watch begins before the first look, so that nothing is missed.
  ASSIGN_OR_RETURN(auto watch, LedgerWatch::Of(options.selected.store));
  ASSIGN_OR_RETURN(auto reader, store::Reader::Open(options.selected.store));
  ASSIGN_OR_RETURN(const auto query, QueryFor(*reader, options.selected));
  ASSIGN_OR_RETURN(const auto newest, Limit(*reader, query, options));
  TellLeftOut(newest, options);
  explain::NewLines news(query, BeginOf(newest));
  Lines lines(options);
  for (;;) {
    TRY(news.Read(*reader, Now(), [&](std::vector<explain::Line> part) {
      return lines.Add(std::move(part), *reader, query);
    }));
    if (!lines.begun()) {
      TRY(lines.Begin(*reader, query));
    }
    if (!watch.Wait()) {
      return Done{};
    }
    // A damaged file is replaced by another.
    ASSIGN_OR_RETURN(reader, store::Reader::Open(options.selected.store));
  }
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

Status Plot(const Options& options) {
  if (options.follow || options.limit || options.no_headers) {
    return Error{Code::kInvalid, "--follow, --limit and --no-headers are not for pictures"};
  }
  ASSIGN_OR_RETURN(const Picture picture, Draw(options));
  std::cout << picture.text;
  std::cerr << picture.note;
  return Done{};
}

ExitStatus Run(const Options& options) {
  const Status done = options.picture() ? Plot(options)
                      : options.follow  ? Follow(options)
                                        : Print(options);
  return done.ok() ? ExitStatus::kDone : Refuse("history", done.error().message);
}

Result<ExitStatus> AskTheCluster(const Options& options) {
  if (options.picture()) {
    return Error{Code::kInvalid,
                 "a picture needs the ledger: copy it (`kubectl exec POD -- ballast backup - > "
                 "ballast.db`) and name the copy with --store"};
  }
  if (options.follow) {
    return Error{Code::kInvalid,
                 "--follow reads one ledger: `kubectl exec POD -- ballast history --follow`"};
  }
  return PrintHistoryOfPods(options.pods, options.selected, options.changes_only, LimitOf(options),
                            StyleOf(options));
}

ExitStatus AskPodsFor(const Options& options) {
  const auto status = AskTheCluster(options);
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
               "Then wait, and print what is recorded, once its outcome is known")
      .Excludes("--until");
  command
      .AddOption("--limit", options->limit,
                 "Only the newest decisions, that many; 0: all; default: 1000, with --since all")
      .NotNegative()
      .ShowType("N");
  AddNoHeaders(command, options->no_headers);
  AddOutput(command, options->output,
            {{"table", Output::kTable},
             {"wide", Output::kWide},
             {"name", Output::kName},
             {"json", Output::kJson},
             {"yaml", Output::kYaml},
             {"csv", Output::kCsv},
             {"plot", Output::kPlot},
             {"html", Output::kHtml}},
            "table by default; plot: a picture of one autoscaler's last 24 hours; html: a page "
            "with it");
  command
      .AddChoice("--charset", options->charset,
                 {{"ascii", Charset::kAscii}, {"auto", Charset::kAuto}, {"utf-8", Charset::kUtf8}},
                 "Characters of plots; auto: as the locale has")
      .ShowValues("auto|ascii|utf-8");
  AddPods(command, options->pods);
  command.OnRun([&command, options, &status] {
    status = ReadsFile(command, options->selected.store, options->pods) ? Run(*options)
                                                                        : AskPodsFor(*options);
  });
}

}  // namespace ballast::cli
