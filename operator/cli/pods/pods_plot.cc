#include "operator/cli/pods/pods_plot.h"

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/terminal/text_width.h"
#include "operator/explain/plot_json.h"
#include "operator/explain/plot_merge.h"

namespace ballast::cli {
namespace {

// What each pod makes of its own ledger.
class Plots {
 public:
  Plots(const PodOptions& options, std::vector<LedgerPod> pods, std::size_t columns)
      : options_(options), pods_(std::move(pods)), columns_(columns) {}

  // kNotFound: no pod has anything.
  Result<std::vector<explain::Plot>> Of(const Selection& selected) {
    ASSIGN_OR_RETURN(auto words, WordsFor(options_, selected));
    words.emplace_back("--output=plot-json");
    words.push_back("--columns=" + std::to_string(columns_));
    PodAnswers answers = AskPods(options_, pods_, "history", words);
    auto plots = ReadAnswers<explain::Plot>(
        answers, [](const PodAnswer& answer) { return explain::ParsePlot(answer.output); });
    whole_ = whole_ && answers.problems.empty();
    TRY(TellProblems("history", answers));
    notes_.clear();
    for (const PodAnswer& answer : answers.given) {
      if (!answer.note.empty()) {
        notes_.push_back(answer.pod.Print() + ": " + answer.note);
      }
    }
    // The next question is for those that have an answer.
    pods_.clear();
    for (PodAnswer& answer : answers.given) {
      pods_.push_back(std::move(answer.pod));
    }
    return plots;
  }

  bool whole() const { return whole_; }

  // Says what the pods noted on their last answers.
  void TellNotes() const {
    for (const std::string& note : notes_) {
      std::cerr << OneLine(note) << "\n";
    }
  }

 private:
  const PodOptions& options_;
  std::vector<LedgerPod> pods_;
  const std::size_t columns_;
  bool whole_ = true;
  std::vector<std::string> notes_;
};

}  // namespace

Result<PodsPlot> PlotOfPods(const PodOptions& options, const Selection& selected,
                            std::size_t columns) {
  ASSIGN_OR_RETURN(auto pods, FindPods(options));
  Plots plots(options, std::move(pods), columns);
  ASSIGN_OR_RETURN(auto own, plots.Of(selected));
  if (own.size() == 1) {
    plots.TellNotes();
    return PodsPlot{std::move(own.front()), plots.whole()};
  }
  // Each ledger ends elsewhere: all are asked for the same columns.
  const explain::PlotFrame frame = explain::FrameOf(own, !selected.since.empty());
  Selection framed = selected;
  framed.since = Print(frame.from);
  framed.until = Print(frame.to);
  ASSIGN_OR_RETURN(auto same, plots.Of(framed));
  plots.TellNotes();
  PodsPlot merged{explain::MergePlots(std::move(same)), plots.whole()};
  merged.plot.left = frame.left;
  return merged;
}

}  // namespace ballast::cli
