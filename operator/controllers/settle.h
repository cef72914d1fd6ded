// Finds out what became of writes of scales whose outcome is not on record: of an earlier run that
// ended in between, and of this one when the API server could not be asked.
//
// Thread-safety: any thread, but one policy by one thread at a time.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "api/autoscaling.h"
#include "operator/controllers/targets.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "store/ledger.h"

namespace ballast::controllers {

// A write of a scale.
struct WriteAttempt {
  store::DecisionId id = 0;
  std::string namespace_;
  api::CrossVersionObjectReference target;
  kube::ScaleChange change;
};

class Settler {
 public:
  // All must outlive this.
  Settler(store::Ledger& ledger, Targets& targets, kube::Client& client,
          const runtime::Clock& clock)
      : ledger_(ledger), targets_(targets), client_(client), clock_(clock) {}

  // The intents that earlier runs left; call before the first evaluation. For each the scale is
  // read (read_back.h), and the recorded snapshot is decided and concluded with what came of it, so
  // that the memory is what an uninterrupted run would have. Where the scale cannot be read the
  // write counts as one that happened, and is asked for again; so it does, and is not, where the
  // snapshot cannot be read.
  void SettleAll();

  // The scale could not be read back after this write of the policy's: to be asked again.
  void AskAgain(const std::string& uid, const WriteAttempt& attempt);

  // Before an evaluation of the policy. Nothing, if nothing is open.
  void Retry(const std::string& uid);

  // The policy is about to write its scale, or is gone: what came before cannot be found out any
  // more.
  void GiveUp(const std::string& uid);

 private:
  Result<engine::Outcome> Find(const WriteAttempt& attempt);
  Status TrySettle(const store::OpenIntent& intent);
  Status Settle(const store::OpenIntent& intent);
  void SettleBlindly(const store::OpenIntent& intent);

  store::Ledger& ledger_;
  Targets& targets_;
  kube::Client& client_;
  const runtime::Clock& clock_;
  std::mutex mutex_;                          // guards: the rest
  std::map<std::string, WriteAttempt> open_;  // by the policy's uid
};

}  // namespace ballast::controllers
