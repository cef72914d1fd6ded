// Collects the steps that lead to a decision, or nothing at all.
//
// A step's texts cost more than the decision itself, so they are made only when somebody listens:
//   trace.Add([&] { return DescribeScale(scale, bounds); });
// Thread-safety: belongs to one evaluation.
#pragma once

#include <utility>
#include <vector>

#include "api/decision/decision.h"

namespace ballast::engine {

class Trace {
 public:
  explicit Trace(Tracing tracing) : on_(tracing == Tracing::kOn) {}

  // `make` returns a Step; it is not called when nobody listens.
  template <typename Make>
  void Add(Make make) {
    if (on_) {
      steps_.push_back(make());
    }
  }

  std::vector<Step> Take() { return std::move(steps_); }

 private:
  bool on_;
  std::vector<Step> steps_;
};

}  // namespace ballast::engine
