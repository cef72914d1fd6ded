#include "operator/engine/selector_check.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/kubernetes/parse_selector.h"

namespace ballast::engine {
namespace {

bool SelectsAny(const std::string& selector, const PodList& pods) {
  if (selector.empty()) {
    return false;
  }
  const auto parsed = api::ParseSelector(selector);
  return parsed.ok() && std::any_of(pods.begin(), pods.end(), [&](const auto& pod) {
           return parsed->Matches(pod->metadata.labels);
         });
}

// "[ns/a ns/b]": the autoscalers that select any of the pods, sorted; `count` is their number.
std::string PrintRivals(const api::ObjectKey& self, const std::vector<Rival>& rivals,
                        const PodList& pods, std::size_t& count) {
  std::vector<std::string> names = {self.Print()};
  for (const Rival& rival : rivals) {
    if (SelectsAny(rival.selector, pods)) {
      names.push_back(api::ObjectKey{self.namespace_, rival.name}.Print());
    }
  }
  count = names.size();
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "[" : " ") + name;
  }
  return text + "]";
}

}  // namespace

std::optional<SelectorProblem> CheckSelector(const Snapshot& snapshot, const api::Scale& scale) {
  if (scale.selector.empty()) {
    return SelectorProblem{"SelectorRequired", "InvalidSelector",
                           "the HPA target's scale is missing a selector", "selector is required"};
  }
  if (const auto parsed = api::ParseSelector(scale.selector); !parsed.ok()) {
    const std::string message =
        "couldn't convert selector into a corresponding internal selector object: " +
        parsed.error().message;
    return SelectorProblem{"InvalidSelector", "InvalidSelector", message, message};
  }
  if (const auto* failure = std::get_if<Failure>(&snapshot.pods)) {
    return SelectorProblem{"", "FailedComputeMetricsReplicas", "", failure->message};
  }
  return std::nullopt;
}

std::optional<SelectorProblem> CheckRivals(const Snapshot& snapshot, const api::Scale& scale,
                                           const PodList& pods) {
  if (pods.empty() || snapshot.rivals.empty()) {
    return std::nullopt;
  }
  std::size_t count = 0;
  const std::string names = PrintRivals(snapshot.autoscaler.key(), snapshot.rivals, pods, count);
  if (count < 2) {
    return std::nullopt;
  }
  const std::string message =
      "pods by selector " + scale.selector + " are controlled by multiple HPAs: " + names;
  return SelectorProblem{"AmbiguousSelector", "AmbiguousSelector", message, message};
}

}  // namespace ballast::engine
