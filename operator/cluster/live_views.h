// Scales that the API server returned directly and that are newer than the watch's view of them.
//
// An answer (of a GET or a PATCH) takes precedence over the watch until the watch has caught up, by
// resource version. Because a watch may stay silent, an answer is used for kAnswerTtl only; after
// that the scale is read again. An object that the watch does not have at all is read each time. An
// entry goes when the watch has caught up or has seen the target's deletion, or in a sweep once it
// has not been used for two hours (the longest evaluation period is one).
//
// Thread-safety: any thread.
// Errors: the API server's, as answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/kubernetes/workload.h"
#include "operator/cluster/sweeper.h"
#include "operator/process/clock.h"

namespace ballast::cluster {

class LiveViews {
 public:
  // How long an answer is used while the watch is behind it.
  static constexpr std::chrono::seconds kAnswerTtl{5};

  explicit LiveViews(const process::Clock& clock) : clock_(clock) {}

  // The scale to use, given the watch's view (`seen`; null: the watch has none). nullopt: ask the
  // API server.
  std::optional<Result<api::Scale>> Find(const std::string& target, const api::Scale* seen);

  // Records the API server's latest answer for the target. kNotFound: the target is gone; any other
  // error is ignored.
  void Learn(const std::string& target, const api::Scale* seen, const Result<api::Scale>& answer);

  // Discards the view of the target, which proved wrong: the next Find() asks the API server.
  void Invalidate(const std::string& target);

  // Since when the watch is known to be behind; nullopt: it is not, or the view is in doubt.
  std::optional<process::SteadyTime> BehindSince(const std::string& target) const;

  // The watch delivered a change; `before` null: added, `after` null: deleted.
  void OnDelivered(const std::string& target, const api::Scale* before, const api::Scale* after);

  // Number of entries kept, those in doubt included.
  std::size_t size() const;

 private:
  struct View {
    std::optional<Result<api::Scale>> answer;  // empty: in doubt
    std::string uid;                           // of the target, or of the deleted one
    process::SteadyTime since;                 // since when the watch is behind
    process::SteadyTime learned_at;
    process::SteadyTime used_at;
  };

  static bool IsBehind(const api::Scale* seen, const View& view);
  void Put(const std::string& target, View view);

  const process::Clock& clock_;
  mutable std::mutex mutex_;           // guards: the rest
  std::map<std::string, View> views_;  // by target
  Sweeper sweeper_;
};

}  // namespace ballast::cluster
