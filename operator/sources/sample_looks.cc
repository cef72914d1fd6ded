#include "operator/sources/sample_looks.h"

#include <chrono>

namespace ballast::sources {
namespace {

// Nobody asks any more.
constexpr std::chrono::nanoseconds kUnasked = 2 * SampleRhythm::kLongest;
constexpr std::chrono::seconds kIdle{5};

}  // namespace

void SampleLooks::Note(const std::string& namespace_, const std::string& selector,
                       std::chrono::nanoseconds period) {
  if (period > SampleRhythm::kLongest) {
    return;  // no rhythm that can be learnt is as long
  }
  const std::lock_guard lock(mutex_);
  noted_ = clock_.Steady();
  if (!target_) {
    target_ = {namespace_, selector};
  }
}

process::SteadyTime SampleLooks::Look() {
  LookTarget target;
  const process::SteadyTime began = clock_.Steady();
  {
    const std::lock_guard lock(mutex_);
    if (target_ && began - noted_ > kUnasked) {
      target_.reset();
    }
    if (!target_) {
      return began + kIdle;
    }
    if (began < rhythm_.next_look()) {
      return rhythm_.next_look();
    }
    target = *target_;
  }
  const auto answer = ask_(target);
  const std::lock_guard lock(mutex_);
  rhythm_.Looked(began, clock_.Steady(), Compare(answer));
  known_ = rhythm_.known();
  return rhythm_.next_look();
}

std::optional<Rhythm> SampleLooks::rhythm() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

LookResult SampleLooks::Compare(const Result<std::shared_ptr<const NamespaceMetrics>>& answer) {
  if (!answer.ok()) {
    return LookResult::kNothing;
  }
  std::map<std::string, Time> samples;
  if (*answer != nullptr) {
    for (const auto& [name, pod] : (*answer)->by_name()) {
      samples.emplace(name, pod->timestamp);
    }
  }
  if (samples.empty()) {
    target_.reset();  // another may have some
  }
  bool same = false;
  bool newer = false;
  bool older = false;
  for (const auto& [name, time] : samples) {
    const auto before = seen_.find(name);
    if (before != seen_.end()) {
      same = same || time == before->second;
      newer = newer || time > before->second;
      older = older || time < before->second;
    }
  }
  seen_ = std::move(samples);
  return older   ? LookResult::kOlder
         : newer ? LookResult::kNewer
         : same  ? LookResult::kSame
                 : LookResult::kNothing;
}

}  // namespace ballast::sources
