#include "operator/cli/pods/history_server.h"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/history_json.h"
#include "operator/cli/version.h"
#include "store/sqlite/reader.h"

namespace ballast::cli {
namespace {

using store::PagedHistory;

Result<store::EntryPage> ReadEntryPage(PagedHistory& history, const HistoryQuestion& asked) {
  ASSIGN_OR_RETURN(store::EntryPage page, history.ReadEntryPage(asked.query, asked.place));
  if (asked.query.changes_only) {
    page.entries = JoinUnchanged(std::move(page.entries));
  }
  return page;
}

// The answer to one question, after `damaged` that could not be told before.
class Answerer {
 public:
  Answerer(PagedHistory& history, std::int64_t& damaged) : history_(history), damaged_(damaged) {}

  std::string Answer(const HistoryQuestion& asked) {
    const auto& [call, query, from, to, place, autoscaler_place, count, subject] = asked;
    if (call == "howFarBack") {
      return Say(history_.HowFarBack(query));
    }
    if (call == "knows") {
      return Say(history_.Knows(query.key.value_or(api::ObjectKey()), query.kind));
    }
    if (call == "subjects") {
      return Say(history_.Subjects());
    }
    if (call == "extent") {
      return Say(history_.ExtentOf(query));
    }
    if (call == "entries") {
      return Say(ReadEntryPage(history_, asked));
    }
    if (call == "newest") {
      return Say(history_.FindNewest(query, std::max<std::int64_t>(count, 1)));
    }
    if (call == "look") {
      return Say(history_.Look(query, from));
    }
    if (call == "foreignChanges") {
      return Say(history_.ForeignChanges(query));
    }
    if (call == "edits") {
      return Say(history_.Edits(query));
    }
    if (call == "delays") {
      return Say(history_.DelaysInRuns(query));
    }
    if (call == "explain") {
      return Say(history_.Explain(subject ? &*subject : nullptr, from, to));
    }
    if (call == "decisions") {
      return Say(history_.ReadDecisionPage(query, autoscaler_place));
    }
    if (call == "evaluations") {
      return Say(history_.ReadEvaluationPage(query, autoscaler_place));
    }
    return Say(
        Result<bool>(Error{Code::kInvalid, VersionText() + " has no answer to \"" + call + "\""}));
  }

 private:
  template <typename T>
  std::string Say(const Result<T>& answer) {
    damaged_ += history_.damaged();
    return PrintAnswer(answer, damaged_);
  }

  PagedHistory& history_;
  std::int64_t& damaged_;
};

}  // namespace

std::vector<store::Entry> JoinUnchanged(std::vector<store::Entry> entries) {
  std::vector<store::Entry> joined;
  std::map<std::string, std::size_t> last;  // of each autoscaler, the one that may be continued
  for (store::Entry& entry : entries) {
    const auto found = last.find(entry.subject.uid);
    if (entry.changes()) {
      joined.push_back(std::move(entry));
    } else if (found != last.end() && entry.time <= joined[found->second].known_until()) {
      store::Entry& before = joined[found->second];
      // Known for as long as the later one.
      const Time known = std::max(before.known_until(), entry.known_until());
      before.until = std::max(before.until, entry.until);
      before.period = Duration{(known - before.until).nanoseconds / 2};
    } else {
      last[entry.subject.uid] = joined.size();
      const Time known = entry.known_until();
      entry.reason.clear();
      entry.message.clear();
      entry.period = Duration{(known - entry.until).nanoseconds / 2};
      entry.evaluations.reset();
      entry.resumed.reset();
      entry.heartbeats.reset();
      joined.push_back(std::move(entry));
    }
  }
  return joined;
}

Status AnswerQuestions(const std::string& store, std::istream& questions, std::ostream& answers) {
  TRY(store::Reader::Open(store));
  answers << Print(HistoryGreeting{kHistoryLanguage, VersionText()}) << "\n" << std::flush;
  std::int64_t damaged = 0;
  for (std::string line; std::getline(questions, line) && !line.empty();) {
    std::string answer;
    // A damaged file is replaced by another.
    const auto reader = store::Reader::Open(store);
    if (const auto asked = ParseQuestion(line); !asked.ok()) {
      answer = PrintAnswer(Result<bool>(asked.error()), damaged);
    } else if (!reader.ok()) {
      answer = PrintAnswer(Result<bool>(reader.error()), damaged);
    } else {
      answer = Answerer(**reader, damaged).Answer(*asked);
    }
    answers << answer << "\n" << std::flush;
  }
  return answers ? Status(Done{})
                 : Error{Code::kUnavailable, "standard output could not be written"};
}

void AddHistoryServer(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "__history", "Answer questions about the store, one a line, for a `ballast` elsewhere");
  command.Hide();
  const auto store = std::make_shared<std::string>();
  AddStore(command, *store);
  command.OnRun([store, &status] {
    const Status done = AnswerQuestions(*store, std::cin, std::cout);
    status = done.ok() ? ExitStatus::kDone : Refuse("__history", done.error().message);
  });
}

}  // namespace ballast::cli
