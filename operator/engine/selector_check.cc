#include "operator/engine/selector_check.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "api/kubernetes/label_syntax.h"
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

// "ns/a", "ns/b": the autoscalers that select any of the pods, sorted.
std::vector<std::string> Selecting(const api::ObjectKey& self, const std::vector<Rival>& rivals,
                                   const PodList& pods) {
  std::vector<std::string> names = {self.Print()};
  for (const Rival& rival : rivals) {
    if (SelectsAny(rival.selector, pods)) {
      names.push_back(api::ObjectKey{self.namespace_, rival.name}.Print());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
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
                                           const PodList& pods, const Quirks& quirks) {
  if (pods.empty() || snapshot.rivals.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> names = Selecting(snapshot.autoscaler.key(), snapshot.rivals, pods);
  if (names.size() < 2) {
    return std::nullopt;
  }
  if (quirks.names_two_rivals) {
    names.resize(2);
  }
  const std::string listed = "[" + api::Join(names, " ") + "]";
  const std::string message = "pods by selector " + scale.selector + " are controlled by " +
                              (quirks.names_two_rivals ? "more than one HPA (e.g. " + listed + ")"
                                                       : "multiple HPAs: " + listed);
  return SelectorProblem{"AmbiguousSelector", "AmbiguousSelector", message, message};
}

}  // namespace ballast::engine
