#include "operator/engine/binding.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ballast::engine {

const Step* BindingStep(const Decision& decision) {
  static constexpr std::string_view kRules[] = {
      "zero", "bounds", "one scale-up a sample", "stabilization", "limits", "hold", "evaluation"};
  for (auto step = decision.trace.rbegin(); step != decision.trace.rend(); ++step) {
    if (step->binding && std::ranges::find(kRules, step->rule) != std::end(kRules)) {
      return &*step;
    }
  }
  return nullptr;
}

}  // namespace ballast::engine
