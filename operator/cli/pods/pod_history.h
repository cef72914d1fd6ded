// The history in the ledger of one of Ballast's pods: `kubectl exec` runs a `ballast` there
// (history_server.h) that is asked question after question, and gives only what is asked for.
//
// Thread-safety: one thread at a time.
// Errors: kUnavailable from any call, with the pod's name: it was not reached, has no answer, or
// broke off. Then every other call has that error too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/cli/pods/find_pods.h"
#include "operator/cli/pods/history_json.h"
#include "operator/cli/pods/kubectl.h"
#include "store/paged_history.h"

namespace ballast::cli {

class PodHistory final : public store::PagedHistory {
 public:
  // Begins; the first call waits for it.
  PodHistory(const KubectlFlags& flags, LedgerPod pod);
  ~PodHistory() override;
  PodHistory(const PodHistory&) = delete;
  PodHistory& operator=(const PodHistory&) = delete;

  const LedgerPod& pod() const { return pod_; }

  // Waits until the pod has said that it will answer.
  Status Greet();

  Result<std::optional<store::Reach>> HowFarBack(const store::HistoryQuery& query) override;
  Result<bool> Knows(const api::ObjectKey& key, const std::string& kind) override;
  Result<std::vector<store::Subject>> Subjects() override;
  Result<std::optional<store::Extent>> ExtentOf(const store::HistoryQuery& query) override;
  Result<std::optional<store::Newest>> FindNewest(const store::HistoryQuery& query,
                                                  std::int64_t count) override;
  Result<store::HistoryAt> Look(const store::HistoryQuery& query, Time at) override;
  Result<std::vector<store::ForeignChangeEntry>> ForeignChanges(
      const store::HistoryQuery& query) override;
  Result<std::vector<store::EditEntry>> Edits(const store::HistoryQuery& query) override;
  Result<std::vector<store::DelayEntry>> DelaysInRuns(const store::HistoryQuery& query) override;
  Result<store::GapFacts> Explain(const store::Subject* subject, Time from, Time to) override;
  Result<store::EntryPage> ReadEntryPage(const store::HistoryQuery& query,
                                         const store::Place& from) override;
  Result<store::DecisionPage> ReadDecisionPage(const store::HistoryQuery& query,
                                               const store::AutoscalerPlace& from) override;
  Result<store::EvaluationPage> ReadEvaluationPage(const store::HistoryQuery& query,
                                                   const store::AutoscalerPlace& from) override;
  std::int64_t damaged() const override { return damaged_; }

 private:
  template <typename T>
  Result<T> Ask(const HistoryQuestion& question);
  // The next line; waits for it.
  Result<std::string> ReadLine();
  // Remembers why there is no answer, and returns it.
  Error Lose(const char* how, const std::string& why);
  // Likewise, once kubectl prints nothing any more.
  Error LoseByEnd();

  const LedgerPod pod_;
  Result<RunningKubectl> kubectl_;
  bool greeted_ = false;
  bool answered_ = false;
  std::optional<Error> lost_;
  std::int64_t damaged_ = 0;
};

}  // namespace ballast::cli
