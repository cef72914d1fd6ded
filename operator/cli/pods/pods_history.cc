#include "operator/cli/pods/pods_history.h"

#include <algorithm>
#include <utility>

namespace ballast::cli {

PodsHistory::PodsHistory(const PodOptions& options, const std::string& subcommand)
    : options_(options), lost_(subcommand) {}

Result<std::unique_ptr<PodsHistory>> PodsHistory::Open(const PodOptions& options,
                                                       const std::string& subcommand) {
  ASSIGN_OR_RETURN(auto found, FindPods(options));
  std::unique_ptr<PodsHistory> opened(new PodsHistory(options, subcommand));
  opened->Use(std::move(found));
  const bool all = opened->TellLost();
  const auto& ledgers = opened->history().ledgers();
  if (!all && std::ranges::all_of(ledgers, [](const auto& one) { return one.lost.has_value(); })) {
    return Error{Code::kNotFound, "no pod of Ballast's has answered"};
  }
  return opened;
}

void PodsHistory::Use(std::vector<LedgerPod> found) {
  std::vector<std::unique_ptr<PodHistory>> used;
  for (LedgerPod& pod : found) {
    const auto before = std::ranges::find_if(pods_, [&](const auto& one) {
      return one != nullptr && one->pod().Print() == pod.Print() && one->Greet().ok();
    });
    used.push_back(before == pods_.end() ? std::make_unique<PodHistory>(options_, std::move(pod))
                                         : std::move(*before));
  }
  pods_ = std::move(used);
  std::vector<explain::MergedHistory::NamedLedger> ledgers;
  for (const auto& pod : pods_) {  // all have begun, so that they are waited for together
    const Status greeted = pod->Greet();
    ledgers.push_back({pod->pod().Print(), pod.get(),
                       greeted.ok() ? std::nullopt : std::optional(greeted.error())});
  }
  history_.emplace(std::move(ledgers));
}

void PodsHistory::LookAgain() {
  auto found = FindPods(options_);
  if (found.ok()) {
    Use(std::move(found).value());
  } else {
    lost_.Tell(found.error().message);
  }
}

}  // namespace ballast::cli
