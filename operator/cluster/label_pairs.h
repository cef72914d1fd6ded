// Labels as keys of an index: objects are found by the pairs they have, selectors by one of those
// that they ask for.
//
// Thread-safety: pure functions.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "api/decision/snapshot.h"
#include "api/kubernetes/label_selector.h"

namespace ballast::cluster {

// "key=value"
std::string LabelPair(std::string_view key, std::string_view value);

// Whether an object must have one of the requirement's values under its key.
bool NamesValues(const api::Selector::Requirement& requirement);

// Whatever meets such a requirement has one of these pairs.
std::set<std::string> PairsOf(const api::Selector::Requirement& requirement);

// All that the pods have.
std::set<std::string> PairsOf(const engine::PodList& pods);

}  // namespace ballast::cluster
