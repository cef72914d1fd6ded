// Labels as index keys: an object is filed under each of its "key=value" pairs, a selector under
// those that it requires.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "api/decision/snapshot.h"
#include "api/kubernetes/label_selector.h"

namespace ballast::cluster {

// "key=value"
std::string LabelPair(std::string_view key, std::string_view value);

// Whether the requirement lists the values that an object may have under its key (In, =, ==).
bool NamesValues(const api::Selector::Requirement& requirement);

// The pairs of a requirement that NamesValues(): an object meets it only if it has one of them.
std::set<std::string> PairsOf(const api::Selector::Requirement& requirement);

std::set<std::string> PairsOf(const api::Labels& labels);

// The pairs of all pods.
std::set<std::string> PairsOf(const engine::PodList& pods);

}  // namespace ballast::cluster
