// The counterfactuals of the invariant "why": what `ballast why` says would have led to another
// count would have done so in the model, by the model's own arithmetic.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <variant>

#include "api/decision/step.h"
#include "api/kubernetes/quantity.h"
#include "operator/explain/recorded_decision.h"
#include "tests/faults/checks.h"

namespace ballast::faults {
namespace {

// Answers may be that late.
constexpr Nanoseconds kSlack = 60 * kSecond;
constexpr std::int64_t kTargetMilli = 10'000;  // what each policy wants for a replica

// "with q at 10500m a pod or more (it was 9 a pod)"
struct LoadInWords {
  std::int64_t would_be = 0;  // in thousandths
  std::int64_t was = 0;
};

std::optional<LoadInWords> Read(const std::string& text) {
  const auto quantity = [&](const std::string& before) -> std::optional<std::int64_t> {
    const auto at = text.find(before);
    if (at == std::string::npos) {
      return std::nullopt;
    }
    const auto from = at + before.size();
    const auto value = ParseQuantity(text.substr(from, text.find(' ', from) - from));
    return value.ok() ? std::optional(value->MilliValue()) : std::nullopt;
  };
  const auto would_be = quantity(" at ");
  const auto was = quantity("(it was ");
  return would_be && was ? std::optional(LoadInWords{*would_be, *was}) : std::nullopt;
}

// Whether a count lies on the way from one to another, which the tolerance may end early.
bool IsOnTheWay(std::int64_t count, std::int64_t from, std::int64_t to) {
  return (count >= std::min(from, to) && count <= std::max(from, to)) || Suffice(count, to);
}

std::int64_t Needed(std::int64_t milli) { return (milli + kTargetMilli - 1) / kTargetMilli; }

}  // namespace

// The oldest sample that a record of that moment may be about.
Nanoseconds Checks::OldestSample(std::size_t index, Span made) const {
  return made.from - loads_[index].sample_every - lateness_ - kSlack;
}

// A setting is what keeps the count from where the load wants it: without it the count comes nearer
// to what a load of that time needed, or one of the window before it.
bool Checks::IsSettingTrue(std::size_t index, const explain::Alternative& alternative,
                           std::int64_t wish, Span made) const {
  return (alternative.replicas > wish && WasAsHigh(index, alternative.replicas, made)) ||
         WasNeeded(index, OldestSample(index, made), made.until, [&](std::int64_t needed) {
           return IsOnTheWay(alternative.replicas, wish, std::max<std::int64_t>(needed, 1));
         });
}

// What the metric is said to have been is what a load of that time was, and what it would have had
// to be needs as many. Both are rounded up, for each pod.
bool Checks::IsLoadTrue(std::size_t index, const explain::Explanation& why,
                        const explain::Alternative& alternative, Span made) const {
  const auto* scale = std::get_if<api::Scale>(&why.snapshot.scale);
  const auto load = Read(alternative.what);
  if (!load || scale == nullptr) {
    return false;
  }
  const std::int64_t pods = scale->status_replicas;
  if (loads_[index].hpa && pods != scale->spec_replicas) {
    return true;  // as upstream counts, they differ
  }
  const bool was =
      WasNeeded(index, OldestSample(index, made), made.until, [&](std::int64_t needed) {
        return std::abs(load->was * pods - needed * kTargetMilli) < pods;
      });
  const std::int64_t current = why.decision.current_replicas;
  return was &&
         (IsOnTheWay(alternative.replicas, current, Needed(load->would_be * pods)) ||
          IsOnTheWay(alternative.replicas, current, Needed((load->would_be - 1) * pods + 1)));
}

void Checks::CheckCounterfactuals(std::size_t index, const explain::Explanation& why, Span made) {
  const engine::Step* fallback = engine::FindStep(why.decision.trace, engine::Rule::kFallback);
  if (loads_[index].per_pod() || (fallback != nullptr && fallback->binding)) {
    return;  // they depend on which pods count, or no load asks for it
  }
  for (const explain::Alternative& alternative : why.alternatives) {
    if (alternative.change == explain::AlteredInput::kLoad && !loads_[index].parts.empty()) {
      continue;  // it is about one of the metrics
    }
    const engine::Bounds& bounds = why.decision.bounds;
    if ((alternative.change == explain::AlteredInput::kMinReplicas &&
         explain::Wish(why.decision) == bounds.min) ||
        (alternative.change != explain::AlteredInput::kLoad &&
         (alternative.replicas == bounds.min || alternative.replicas == bounds.max))) {
      continue;  // whatever the load is
    }
    const bool is_true = alternative.change == explain::AlteredInput::kLoad
                             ? IsLoadTrue(index, why, alternative, made)
                             : IsSettingTrue(index, alternative, explain::Wish(why.decision), made);
    if (!is_true) {
      Fail("why", loads_[index].name + ": " + std::to_string(alternative.replicas) +
                      " would not have come " + alternative.what);
    }
  }
}

}  // namespace ballast::faults
