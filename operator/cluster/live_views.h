// What is known of scales from answers of the API server that are newer than the watch's view.
//
// An answer (a GET, a patch) counts instead of the watch until the watch has caught up, by resource
// version. A watch may stay silent, so that an answer is believed for a few seconds only and the
// scale is asked for again then; what the watch does not have at all is asked for always. An entry
// goes when the watch has caught up, when it has seen the target's end, or when nobody asked for
// the target for two hours (the longest period of a policy is one). Thread-safety: any thread.
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
#include "operator/runtime/clock.h"

namespace ballast::cluster {

class LiveViews {
 public:
  // For how long an answer is believed while the watch is behind it.
  static constexpr std::chrono::seconds kBelieved{5};

  explicit LiveViews(const runtime::Clock& clock) : clock_(clock) {}

  // The scale; `seen` is the watch's view, null: it has none. nullopt: ask the API server.
  std::optional<Result<api::Scale>> Find(const std::string& target, const api::Scale* seen);

  // What the API server said of the target just now. kNotFound: it is gone; any other error
  // teaches nothing.
  void Learn(const std::string& target, const api::Scale* seen, const Result<api::Scale>& answer);

  // What was known of the target proved wrong: it is asked for next time.
  void Doubt(const std::string& target);

  // Since when the watch is known to be behind; nullopt: it is not.
  std::optional<runtime::SteadyTime> BehindSince(const std::string& target) const;

  // The watch has seen a change; null: the object was not there, or is not any more.
  void Saw(const std::string& target, const api::Scale* before, const api::Scale* after);

  // How many answers are kept.
  std::size_t size() const;

 private:
  struct View {
    std::optional<Result<api::Scale>> answer;  // empty: in doubt
    std::string uid;                           // of the target, or of the one that is gone
    runtime::SteadyTime since;                 // the watch is behind
    runtime::SteadyTime learned_at;
    runtime::SteadyTime used_at;
  };

  static bool IsBehind(const api::Scale* seen, const View& view);
  void Put(const std::string& target, View view);

  const runtime::Clock& clock_;
  mutable std::mutex mutex_;           // guards: the rest
  std::map<std::string, View> views_;  // by target
  Sweeper sweeper_;
};

}  // namespace ballast::cluster
