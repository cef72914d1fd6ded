// A model of the cluster's own controller of HPAs, the rival of an operator that manages them. It
// is off until it is started, and knows nothing of the operator.
//
// As that of Kubernetes up to 1.36 it looks at each HPA once a period, keeps the highest
// recommendation of the window before it scales in, and then replaces the status if it differs,
// without observedGeneration. Rates are not modelled.
//
// Thread-safety: one thread.
// Errors: none; what is refused is done with the next look.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/faults/api_server.h"
#include "tests/faults/faults.h"
#include "tests/faults/load_curve.h"

namespace ballast::faults {

inline constexpr const char* kRival = "kube-controller-manager";

class HpaController {
 public:
  // What the metric of a load asks for; nullopt: it fails.
  using Wish = std::function<std::optional<std::int64_t>(std::size_t load)>;

  // `server` and `loads` must outlive the HpaController.
  HpaController(ApiServer& server, const std::vector<Load>& loads, Wish wish)
      : server_(server), loads_(loads), wish_(std::move(wish)) {}

  void Start(Nanoseconds period, Dice& dice);
  void Stop() {
    ++run_;
    running_ = false;
  }
  bool running() const { return running_; }

 private:
  // A new count, or none, and why.
  struct Decision {
    std::int64_t current = 0;
    std::int64_t desired = 0;
    std::string able;    // the reason of AbleToScale
    std::string active;  // of ScalingActive; empty: not said
  };
  void Turn(std::uint64_t run, Nanoseconds period, Dice& dice);
  void Look(std::size_t index, Dice& dice);
  Decision Decide(std::size_t index, const JsonValue& hpa);
  void Emit(const JsonValue& hpa, std::int64_t size);
  static JsonValue StatusOf(const JsonValue& hpa, const Decision& decision);

  ApiServer& server_;
  const std::vector<Load>& loads_;
  const Wish wish_;
  std::uint64_t run_ = 0;
  bool running_ = false;
  int emitted_ = 0;
  // Recommendations by uid, since it runs.
  std::map<std::string, std::vector<std::pair<Nanoseconds, std::int64_t>>> wishes_;
};

}  // namespace ballast::faults
