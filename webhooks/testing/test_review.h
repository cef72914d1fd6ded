// Admission reviews and a fake Lookup for tests.
//
// Thread-safety: FakeLookup may be called from any thread: what it counts is atomic.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "webhooks/lookup.h"

namespace ballast::webhooks {

inline std::string PolicyJson(const std::string& spec, const std::string& metadata = "") {
  return R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScalePolicy","metadata":{"name":"web",)"
         R"("namespace":"shop")" +
         metadata +
         R"(},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
         R"("name":"web"},)" +
         spec + "}}";
}

inline std::string HpaJson(const std::string& spec) {
  return R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web",)"
         R"("namespace":"shop"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
         R"("name":"web"},)" +
         spec + "}}";
}

inline std::string ReviewJson(const std::string& operation, const std::string& object,
                              const std::string& old_object = "null",
                              const std::string& more = "") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)"
         R"("kind":{"group":"ballast.dev","version":"v1alpha1","kind":"AutoScalePolicy"},)"
         R"("name":"web","namespace":"shop","operation":")" +
         operation + R"(","object":)" + object + R"(,"oldObject":)" + old_object + more + "}}";
}

class FakeLookup final : public Lookup {
 public:
  explicit FakeLookup(Facts facts = {}) : facts_(std::move(facts)) {}
  Facts LookUp(const api::Autoscaler&, std::chrono::milliseconds timeout) override {
    ++asked;
    last_timeout = timeout;
    return facts_;
  }
  std::vector<std::shared_ptr<const api::Autoscaler>> SubjectsOf(
      const api::AutoScaleOverride&) override {
    return subjects;
  }
  std::optional<api::Labels> LabelsOf(const std::string&,
                                      std::chrono::milliseconds timeout) override {
    ++asked;
    last_timeout = timeout;
    return facts_.namespace_labels;
  }
  std::vector<std::shared_ptr<const api::Autoscaler>> subjects;
  std::atomic<int> asked = 0;
  std::atomic<std::chrono::milliseconds> last_timeout = kLookupTimeout;

 private:
  const Facts facts_;
};

}  // namespace ballast::webhooks
