#include "webhooks/cluster_checks.h"

#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/mode.h"
#include "api/autoscaling/take_over_annotation.h"
#include "api/base/utf8.h"
#include "webhooks/limits.h"

namespace ballast::webhooks {
namespace {

constexpr const char* kTargetField = "spec.scaleTargetRef";
constexpr const char* kAllowIt = "see the chart's value operator.hpaTakeoverNamespaces";

bool AsksForManage(const api::Autoscaler& autoscaler) {
  return !autoscaler.is_policy() &&
         api::HpaModeOf(autoscaler, api::kHpaModes.front()).kind == api::ServingMode::Kind::kManage;
}

class Judge {
 public:
  Judge(const api::Autoscaler& autoscaler, const Facts& facts, OnTrouble on_trouble,
        Verdict& verdict)
      : spec_(autoscaler.spec),
        is_policy_(autoscaler.is_policy()),
        scales_(api::Scales(autoscaler)),
        takes_over_from_(api::TakesOverFrom(autoscaler)),
        asks_for_manage_(AsksForManage(autoscaler)),
        facts_(facts),
        refuses_(on_trouble == OnTrouble::kRefuse),
        target_(Shorten(spec_.scale_target_ref.kind + " " + spec_.scale_target_ref.name, kMaxName)),
        verdict_(verdict) {}

  void Run() {
    if (asks_for_manage_ && !facts_.may_take_over) {
      Warn(std::string("annotation ") + api::kHpaMode +
           ": manage is not allowed in this namespace; " + kAllowIt);
    }
    JudgeRivals();
    if (!facts_.silence.empty()) {
      Warn("another autoscaler of " + target_ +
           " may be overlooked, and nothing is refused for it: " + facts_.silence);
    }
    JudgeTarget();
    for (const std::string& missing : facts_.missing_requests) {
      Warn(missing + ": its utilization cannot be computed");
    }
    if (facts_.quota && facts_.quota->replicas < spec_.max_replicas) {
      Warn("maxReplicas is " + std::to_string(spec_.max_replicas) + ", but quota " +
           facts_.quota->name + " (" + facts_.quota->resource + ") leaves room for " +
           std::to_string(facts_.quota->replicas));
    }
  }

 private:
  void Warn(std::string text) { verdict_.warnings.push_back(std::move(text)); }

  void Trouble(const std::string& what, const std::string& way_out) {
    if (refuses_) {
      verdict_.errors.Add(kTargetField, what + "; " + way_out);
    } else {
      Warn(what);
    }
  }

  std::string WaysOutOf(const Facts::TargetRival& rival) const {
    if (!is_policy_ || rival.hpa.empty()) {
      return "delete one of the two, or name another target";
    }
    return std::string(
               "delete one of the two, name another target, or take over from the HPA by ") +
           "the annotation " + api::kTakesOver +
           (facts_.may_take_over ? "" : std::string(" (") + kAllowIt + ")");
  }

  void JudgeRivals() {
    for (const Facts::TargetRival& rival : facts_.rivals) {
      if (scales_ && takes_over_from_ && rival.hpa == *takes_over_from_ && !facts_.may_take_over) {
        Trouble(target_ + " is scaled by " + rival.who + " already",
                std::string("this installation does not allow ") + api::kTakesOver +
                    " in the namespace: " + kAllowIt);
      } else if (scales_ && takes_over_from_ && rival.hpa == *takes_over_from_) {
        Warn("nothing is scaled until " + rival.who + " is gone; then this policy takes over");
      } else if (rival.scales) {
        Trouble(target_ + " is scaled by " + rival.who + " already", WaysOutOf(rival));
      } else {
        Warn(rival.who + " has the same target; it does not scale it now");
      }
    }
  }

  void JudgeTarget() {
    switch (facts_.target) {
      case Facts::TargetState::kUnknown:
        break;
      case Facts::TargetState::kFound:
        if (facts_.replicas == 0 && spec_.min_replicas.value_or(1) > 0) {
          Warn(target_ + " stands at 0 replicas and is left there until somebody scales it up");
        }
        break;
      case Facts::TargetState::kMissing:
        Warn(target_ + " does not exist (yet); scaling begins when it does");
        break;
      case Facts::TargetState::kUnknownKind:
        Warn("the cluster knows no kind " + spec_.scale_target_ref.kind + " in " +
             spec_.scale_target_ref.api_version + " (yet)");
        break;
      case Facts::TargetState::kNoScale:
        JudgeNoScale("a " + spec_.scale_target_ref.kind + " has no scale subresource");
        break;
      case Facts::TargetState::kForbidden:
        Warn("the operator may not read the scale of " + target_ +
             "; see the chart's value customTargets");
        break;
    }
  }

  // Kubernetes accepts an HPA on a kind without a scale subresource, since the kind may get one
  // later.
  void JudgeNoScale(const std::string& what) {
    if (is_policy_) {
      Trouble(what, "name a Deployment, a StatefulSet, or a custom resource that has one");
    } else {
      Warn(what);
    }
  }

  const api::AutoscalerSpec& spec_;
  const bool is_policy_;
  const bool scales_;
  const std::optional<std::string> takes_over_from_;
  const bool asks_for_manage_;
  const Facts& facts_;
  const bool refuses_;
  const std::string target_;
  Verdict& verdict_;
};

}  // namespace

void CheckCluster(const api::Autoscaler& autoscaler, const Facts& facts, OnTrouble on_trouble,
                  Verdict& verdict) {
  Judge(autoscaler, facts, on_trouble, verdict).Run();
}

}  // namespace ballast::webhooks
