#include "operator/cli/pods_history.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/history_print.h"
#include "operator/cli/merge.h"

namespace ballast::cli {
namespace {

// The words of `history` in a pod, with times that do not depend on its clock and zone.
Result<std::vector<std::string>> HistoryWords(const PodOptions& options,
                                              const Selection& selected) {
  ASSIGN_OR_RETURN(auto words, WordsFor(options, selected.of));
  const std::vector<std::pair<std::string, std::string>> ends = {{"--since", selected.since},
                                                                 {"--until", selected.until}};
  for (const auto& [option, text] : ends) {
    if (!text.empty()) {
      ASSIGN_OR_RETURN(const Time time, ParseMoment(option, text, Now(), selected.zone));
      words.push_back(option + "=" + Print(time));
    }
  }
  words.emplace_back("--output=json");
  return words;
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

}  // namespace

Result<ExitStatus> PrintHistoryOfPods(const PodOptions& options, const Selection& selected,
                                      bool changes_only, std::int64_t limit, HistoryStyle style) {
  ASSIGN_OR_RETURN(auto words, HistoryWords(options, selected));
  // The decisions that change nothing tell which gaps are none.
  words.push_back("--limit=" + std::to_string(changes_only ? 0 : limit));
  ASSIGN_OR_RETURN(const auto pods, FindPods(options));
  PodAnswers answers = AskPods(options, pods, "history", words);
  const auto histories = ReadAnswers<PodHistory>(answers, [](const PodAnswer& answer) {
    return ParseHistory(answer.pod.Print(), answer.output);
  });
  TRY(TellProblems("history", answers));
  MergedHistory merged = MergeHistories(histories);
  if (changes_only) {
    merged = OnlyChanges(std::move(merged), limit);
  }
  const bool table = style.format == HistoryFormat::kTable || style.format == HistoryFormat::kWide;
  if (merged.lines.empty() && table) {
    std::cout << NothingRecorded(selected, changes_only);
  } else {
    style.pods = pods.size() > 1;
    HistoryWriter writer(style, SubjectsOf(merged.lines));
    std::cout << writer.Add(merged.lines, merged.pods) << writer.End();
  }
  for (const PodAnswer& answer : answers.given) {
    if (!answer.note.empty()) {
      std::cerr << answer.pod.Print() << ": " << answer.note << "\n";
    }
  }
  return answers.problems.empty() ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

}  // namespace ballast::cli
