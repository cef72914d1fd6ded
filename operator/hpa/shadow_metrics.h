// How often the decisions of shadows agree with those of the controllers that scale their HPAs.
//
// Thread-safety: any thread.
#pragma once

#include "operator/hpa/agreement.h"
#include "operator/telemetry/registry.h"

namespace ballast::hpa {

class ShadowMetrics {
 public:
  ShadowMetrics() = default;  // counts nothing
  explicit ShadowMetrics(telemetry::Registry& registry);

  void Count(Agreement::Judgement verdict) const { shadows_.With({Name(verdict)}).Add(); }

 private:
  telemetry::Family<telemetry::Counter> shadows_;
};

}  // namespace ballast::hpa
