#include "tests/faults/check_reviews.h"

#include <algorithm>
#include <array>

#include "tests/faults/metric_model.h"
#include "webhooks/review_handler.h"
#include "webhooks/testing/test_review.h"

namespace ballast::faults {
namespace {

// --max-view-age: a watch that has been silent for longer is told of. When it stops to be silent it
// may tell what is as old.
constexpr Nanoseconds kSilence = 2 * 120 * kSecond;

std::string NameOf(const std::pair<std::string, std::string>& id) {
  return (id.first == kHpas ? "HorizontalPodAutoscaler shop/" : "AutoScalePolicy shop/") +
         id.second + " ";
}

}  // namespace

void ReviewChecks::Look() {
  const Nanoseconds now = Fibers::Get().now();
  for (const Load& load : loads_) {
    for (const Id& id : {Id{load.hpa ? kHpas : kPolicies, load.name}, Id{kHpas, kOther + load.name},
                         Id{kPolicies, kOther + load.name}}) {
      const JsonValue* object = server_.Get(id.first, {"shop", id.second});
      if (object == nullptr) {
        present_.erase(id);
        gone_.try_emplace(id, now);
        continue;
      }
      gone_.erase(id);
      const Rival rival{object->At({"metadata", "uid"}).Text(),
                        object->At({"spec", "scaleTargetRef", "name"}).Text(), now};
      const auto [known, is_new] = present_.try_emplace(id, rival);
      if (!is_new && (known->second.uid != rival.uid || known->second.target != rival.target)) {
        known->second = rival;
      }
    }
  }
}

std::string ReviewChecks::Review(const Load& load, webhooks::Lookup& lookup) {
  const std::string policy =
      R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScalePolicy","metadata":{"name":"web",)"
      R"("namespace":"shop"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
      R"("name":")" +
      load.target + R"("},"maxReplicas":20,"metrics":)" + MetricsFor(load) + "}}";
  std::string said;
  const auto answer = webhooks::AnswerReview(
      webhooks::AdmissionPhase::kValidate, webhooks::ReviewJson("CREATE", policy),
      {.lookup = lookup}, [&](const auto&, const webhooks::Verdict& verdict) {
        for (const api::FieldError& error : verdict.errors) {
          said += "refused: " + Print(error) + "\n";
        }
        for (const std::string& warning : verdict.warnings) {
          said += "warned: " + warning + "\n";
        }
      });
  return answer.ok() ? said : answer.error().message;
}

bool ReviewChecks::CallsMayFail() const {
  return std::ranges::any_of(
      std::array{Fault::kSlowCalls, Fault::kLostRequests, Fault::kLostAnswers, Fault::kErrors,
                 Fault::kGarbledAnswers, Fault::kPauses, Fault::kPartitions},
      [&](Fault fault) { return swarm_.Has(fault); });
}

void ReviewChecks::Judge(const std::string& identity, const std::string& target, Nanoseconds began,
                         const std::string& said) {
  Look();
  const std::string what =
      identity + " was asked about a new policy for " + target + ", and said of ";
  const bool told = said.find("may be overlooked") != std::string::npos;
  for (const auto& [id, rival] : present_) {
    if (rival.target == target && rival.since < began - kSilence - checks_.Lateness() && !told &&
        said.find(NameOf(id)) == std::string::npos) {
      checks_.Fail("review", what + NameOf(id) + "nothing, which has had it for " +
                                 std::to_string((began - rival.since) / kSecond) + " s:\n" + said);
    }
  }
  for (const auto& [id, since] : gone_) {
    if (since < began && !CallsMayFail() && said.find(NameOf(id)) != std::string::npos) {
      checks_.Fail("review", what + NameOf(id) + "that it is there, but it has been gone for " +
                                 std::to_string((began - since) / kSecond) + " s:\n" + said);
    }
  }
}

}  // namespace ballast::faults
