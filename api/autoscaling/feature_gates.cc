#include "api/autoscaling/feature_gates.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

// Go's strconv.ParseBool, which upstream uses.
std::optional<bool> ParseBool(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::string_view kFalse[] = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != std::end(kTrue)) {
    return true;
  }
  if (std::ranges::find(kFalse, text) != std::end(kFalse)) {
    return false;
  }
  return std::nullopt;
}

Error Unknown(std::string_view name) {
  std::vector<std::string> known;
  for (const FeatureGate& gate : kFeatureGates) {
    known.emplace_back(gate.name);
  }
  return {Code::kInvalid,
          "unknown feature gate " + Quote(name) + "; known are " + Join(known, ", ")};
}

// Parses "HPAScaleToZero=true".
Status ParseOne(std::string_view text, GateOverrides& out) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto gate = std::ranges::find(kFeatureGates, name, &FeatureGate::name);
  if (gate == kFeatureGates.end()) {
    return Unknown(name);
  }
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const std::optional<bool> on = ParseBool(value);
  if (!on) {
    return Error{Code::kInvalid, std::string(name) + " must be true or false, is " + Quote(value)};
  }
  out.*gate->set = on;
  return Done{};
}

}  // namespace

FeatureGates DefaultGates(int minor) {
  FeatureGates gates;
  for (const FeatureGate& gate : kFeatureGates) {
    gates.*gate.state = minor >= gate.on_since;
  }
  return gates;
}

FeatureGates Apply(const GateOverrides& overrides, FeatureGates gates) {
  for (const FeatureGate& gate : kFeatureGates) {
    gates.*gate.state = (overrides.*gate.set).value_or(gates.*gate.state);
  }
  return gates;
}

Result<GateOverrides> ParseGateOverrides(std::string_view text) {
  GateOverrides overrides;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) {
      TRY(ParseOne(text.substr(0, comma), overrides));
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return overrides;
}

}  // namespace ballast::api
