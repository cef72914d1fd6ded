#include "operator/hpa/shadow_metrics.h"

namespace ballast::hpa {

ShadowMetrics::ShadowMetrics(telemetry::Registry& registry)
    : shadows_(registry.Counters(
          "ballast_shadow_decisions_total",
          "Decisions for HorizontalPodAutoscalers in mode shadow, by whether the controller that "
          "scales them asks for the same count (agrees, differs, too_early to tell; cannot_tell, "
          "because the shadow could compute nothing).",
          {"verdict"})) {
  // Shown from the start, so that an increase is seen.
  using enum Agreement::Judgement;
  for (const Agreement::Judgement verdict : {kTooEarly, kAgrees, kDiffers, kCannotTell}) {
    shadows_.With({Name(verdict)});
  }
}

}  // namespace ballast::hpa
