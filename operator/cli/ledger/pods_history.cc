#include "operator/cli/ledger/pods_history.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/ledger/history_print.h"
#include "operator/cli/pods/merge.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal/text_width.h"
#include "operator/explain/told_lines.h"
#include "operator/os/output.h"

namespace ballast::cli {
namespace {

// A question is a process here and one in each pod.
constexpr Duration kBetweenQuestions = Duration::Seconds(5);

// Asks the pods for lines, again and again.
class Questions {
 public:
  explicit Questions(const PodsHistoryOptions& options) : options_(options) {}

  // What the ledgers have; of `essential`, at least what changes of replicas need (merge.h). Says
  // once of each pod what is wrong with it.
  Result<MergedHistory> Ask(const Selection& selected, std::int64_t limit, bool essential);

  // Of the last answer: the number of pods, whether all have answered, and what they said beside.
  std::size_t pods() const { return pods_; }
  bool whole() const { return whole_; }
  const std::vector<std::string>& notes() const { return notes_; }

  // Whether that has not been said before.
  bool IsNews(const std::string& problem) { return told_.insert(problem).second; }

 private:
  const PodsHistoryOptions& options_;
  std::size_t pods_ = 0;
  bool whole_ = false;
  std::vector<std::string> notes_;
  std::set<std::string> told_;
};

Result<MergedHistory> Questions::Ask(const Selection& selected, std::int64_t limit,
                                     bool essential) {
  ASSIGN_OR_RETURN(auto words, WordsFor(options_.pods, selected));
  words.emplace_back("--output=json");
  words.push_back("--limit=" + std::to_string(limit));
  if (essential) {
    words.insert(words.end(), {"--changes-only", "--essential"});
  }
  ASSIGN_OR_RETURN(const auto pods, FindPods(options_.pods));
  PodAnswers answers = AskPods(options_.pods, pods, "history", words);
  auto histories = ReadAnswers<PodHistory>(answers, [](const PodAnswer& answer) {
    return ParseHistory(answer.pod.Print(), answer.output);
  });
  for (PodHistory& history : histories) {
    NoteCut(limit, essential, history);
  }
  pods_ = pods.size();
  whole_ = answers.problems.empty();
  notes_.clear();
  for (const PodAnswer& answer : answers.given) {
    if (!answer.note.empty()) {
      notes_.push_back(answer.pod.Print() + ": " + answer.note);
    }
  }
  std::erase_if(answers.problems, [&](const std::string& problem) { return !IsNews(problem); });
  TRY(TellProblems("history", answers));
  MergedHistory merged = MergeHistories(histories);
  if (merged.from) {
    const Zone zone = selected.zone;
    notes_.push_back("what other pods have of the time before " + PrintIn(zone, *merged.from) +
                     " " + NameOf(zone, *merged.from) + " is left out too: there " +
                     merged.from_pod + " has reached --limit");
  }
  return merged;
}

// The decisions that changed the replicas, the newest `limit` of them, and what is among them.
MergedHistory OnlyChanges(MergedHistory all, std::int64_t limit) {
  MergedHistory changes;
  std::int64_t count = 0;
  for (std::size_t i = all.lines.size(); i > 0 && (limit == 0 || count < limit); --i) {
    const auto* entry = std::get_if<store::Entry>(&all.lines[i - 1]);
    if (entry == nullptr || entry->changes()) {
      count += entry == nullptr ? 0 : 1;
      changes.lines.push_back(std::move(all.lines[i - 1]));
      changes.pods.push_back(std::move(all.pods[i - 1]));
    }
  }
  std::ranges::reverse(changes.lines);
  std::ranges::reverse(changes.pods);
  return changes;
}

// The newest that are asked for.
Result<MergedHistory> AskFirst(Questions& questions, const PodsHistoryOptions& options) {
  ASSIGN_OR_RETURN(auto merged,
                   questions.Ask(options.selected, options.limit, options.changes_only));
  return options.changes_only ? OnlyChanges(std::move(merged), options.limit) : std::move(merged);
}

void TellNotes(const Questions& questions) {
  for (const std::string& note : questions.notes()) {
    std::cerr << OneLine(note) << "\n";
  }
}

// What of it has not been told yet.
MergedHistory Untold(MergedHistory merged, explain::ToldLines& told) {
  MergedHistory untold;
  for (const std::size_t i : told.Tell(merged.lines, merged.pods, Now())) {
    untold.lines.push_back(std::move(merged.lines[i]));
    untold.pods.push_back(std::move(merged.pods[i]));
  }
  told.EndReading();
  return untold;
}

// What was before the first line of a pod is not told later.
void LeaveOutBefore(const MergedHistory& first, explain::ToldLines& told) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < first.lines.size(); ++i) {
    const auto* entry = std::get_if<store::Entry>(&first.lines[i]);
    if (entry != nullptr && seen.insert(first.pods[i]).second) {
      told.LeaveOut(first.pods[i], {entry->time, entry->id});
    }
  }
}

// Asks for what has come since. Whatever goes wrong may be over the next time.
MergedHistory AskAgain(Questions& questions, const PodsHistoryOptions& options, Time since) {
  Selection selected = options.selected;
  selected.since = Print(since);
  auto merged = questions.Ask(selected, 0, false);
  if (merged.ok()) {
    return std::move(merged).value();
  }
  if (questions.IsNews(merged.error().message)) {
    std::cerr << "ballast history: " << merged.error().message << "\n";
  }
  return {};
}

}  // namespace

Result<ExitStatus> PrintHistoryOfPods(const PodsHistoryOptions& options) {
  Questions questions(options);
  ASSIGN_OR_RETURN(const MergedHistory merged, AskFirst(questions, options));
  HistoryStyle style = options.style;
  const bool table = style.format == HistoryFormat::kTable || style.format == HistoryFormat::kWide;
  if (merged.lines.empty() && table) {
    std::cout << NothingRecorded(options.selected, options.changes_only);
  } else {
    style.pods = questions.pods() > 1 || style.format == HistoryFormat::kCsv;
    HistoryWriter writer(style, SubjectsOf(merged.lines));
    std::cout << writer.Add(merged.lines, merged.pods) << writer.End();
  }
  TellNotes(questions);
  return questions.whole() ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

Result<ExitStatus> FollowHistoryOfPods(const PodsHistoryOptions& options) {
  ASSIGN_OR_RETURN(const SelectedTime time, ParseTimes(options.selected));
  Questions questions(options);
  ASSIGN_OR_RETURN(MergedHistory merged, AskFirst(questions, options));
  TellNotes(questions);
  HistoryStyle style = options.style;
  style.pods = true;  // others may come
  HistoryWriter writer(style, SubjectsOf(merged.lines));
  explain::ToldLines told(time.since);
  LeaveOutBefore(merged, told);
  for (;;) {
    MergedHistory untold = Untold(std::move(merged), told);
    if (options.changes_only) {
      untold = OnlyChanges(std::move(untold), 0);
    }
    std::cout << writer.Add(untold.lines, untold.pods) << std::flush;
    if (!std::cout) {
      return Error{Code::kUnavailable, "standard output could not be written"};
    }
    if (!os::StaysRead(STDOUT_FILENO, kBetweenQuestions)) {
      return ExitStatus::kDone;
    }
    merged = AskAgain(questions, options, *told.since());
  }
}

}  // namespace ballast::cli
