// Looks at the samples of one target's pods in metrics.k8s.io, to learn their rhythm
// (sample_rhythm.h): small lists, apart from those that evaluations use. The target is any of those
// that evaluations ask for, as long as it has samples; while none does, there are no looks.
//
// Thread-safety: Look: one thread at a time; the rest: any thread.
// Errors: none; a look that fails is one that found nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/process/clock.h"
#include "operator/sources/namespace_metrics.h"
#include "operator/sources/sample_rhythm.h"

namespace ballast::sources {

// What a target's pods are known by.
struct LookTarget {
  std::string namespace_;
  std::string selector;
};

class SampleLooks {
 public:
  // Null: there are no metrics.
  using Ask =
      std::function<Result<std::shared_ptr<const NamespaceMetrics>>(const LookTarget& target)>;

  // `clock` must outlive the SampleLooks.
  SampleLooks(const process::Clock& clock, Ask ask) : clock_(clock), ask_(std::move(ask)) {}

  // Somebody asks for that target's metrics now, and will again after `period`.
  void Note(const std::string& namespace_, const std::string& selector,
            std::chrono::nanoseconds period);
  // Takes a look, if one is due. Returns when the next one is.
  process::SteadyTime Look();

  std::optional<Rhythm> rhythm() const;

 private:
  LookResult Compare(const Result<std::shared_ptr<const NamespaceMetrics>>& answer);

  const process::Clock& clock_;
  const Ask ask_;
  mutable std::mutex mutex_;  // guards: the rest; not held during requests
  std::optional<LookTarget> target_;
  process::SteadyTime noted_;         // when any was asked for
  std::map<std::string, Time> seen_;  // the samples of the target's pods, at the last look
  SampleRhythm rhythm_;
  std::optional<Rhythm> known_;
};

}  // namespace ballast::sources
