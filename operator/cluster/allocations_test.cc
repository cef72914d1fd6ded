// What a pod and a policy cost in the operator's caches, counted in allocated bytes: resident
// memory would include what the allocator keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include "operator/cluster/watches.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/support/pod_json.h"

namespace {

std::atomic<std::ptrdiff_t> in_use = 0;  // bytes, including malloc's rounding

void* Counted(void* memory) {
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  in_use += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  return memory;
}

void Release(void* memory) noexcept {
  in_use -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return Counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return Counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept { Release(memory); }
void operator delete(void* memory, std::size_t) noexcept { Release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { Release(memory); }

namespace ballast::cluster {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::Lt;

constexpr int kObjects = 10'000;

// A policy with two metrics, a behavior and a status, as `kubectl apply` leaves it: about 3 kB.
std::string PolicyJson(int policy) {
  const std::string name = "web-" + std::to_string(policy);
  const std::string spec =
      R"({"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" + name +
      R"("},"minReplicas":2,"maxReplicas":20,"mode":"Active","syncPeriodSeconds":15,"metrics":[)"
      R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",)"
      R"("averageUtilization":60}}},{"type":"External","external":{"metric":{"name":"queue_depth",)"
      R"("selector":{"matchLabels":{"queue":"orders"}}},"target":{"type":"AverageValue",)"
      R"("averageValue":"30"}}}],"behavior":{"scaleDown":{"stabilizationWindowSeconds":300,)"
      R"("policies":[{"type":"Percent","value":10,"periodSeconds":60}]}}})";
  return R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScalePolicy","metadata":{"name":")" +
         name + R"(","namespace":"team","uid":"8a1c3f5e-2b4d-4f6a-9c8e-)" + name +
         R"(","resourceVersion":"1","generation":1,"annotations":)"
         R"({"team":"checkout"},"managedFields":[{"manager":"kubectl","operation":"Apply"}]},)"
         R"("spec":)" +
         spec +
         R"(,"status":{"observedGeneration":1,"currentReplicas":3,"desiredReplicas":3,)"
         R"("conditions":[{"type":"AbleToScale","status":"True","reason":"ReadyForNewScale",)"
         R"("message":"recommended size matches current size",)"
         R"("lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Ready","status":"True",)"
         R"("reason":"Scaling","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
}

// Bytes per object after many of them have been streamed into the caches.
double BytesOfEach(const std::string& plural, const std::function<std::string(int)>& object) {
  support::Channel<std::string> quiet;  // the collections that have been sent completely
  const auto stream = [&](const kube::Request& request, const kube::LineSink& sink,
                          const std::stop_token& stop) -> Status {
    for (int i = 0; request.path.ends_with("/" + plural) && i < kObjects; ++i) {
      TRY(sink(R"({"type":"ADDED","object":)" + object(i) + "}"));
    }
    TRY(sink(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":)"
             R"({"k8s.io/initial-events-end":"true"}}}})"));
    quiet.Push(request.path);
    return support::SilentStream({}, sink, stop);
  };
  support::FakeTransport transport({}, stream);
  support::FakeClock clock;
  Watches watches(transport, clock, {});
  const std::ptrdiff_t before = in_use;
  watches.Start();
  for (int kind = 0; kind < 5; ++kind) {
    EXPECT_TRUE(quiet.Pop());
  }
  return static_cast<double>(in_use - before) / kObjects;
}

// The lower bound proves that the allocations are counted at all.
TEST(Memory, OfAPodInTheViews) {
  EXPECT_THAT(BytesOfEach("pods", support::PodJson), AllOf(Gt(100), Lt(500)));
}

TEST(Memory, OfAPolicyInTheViews) {
  EXPECT_THAT(BytesOfEach("autoscalepolicies", PolicyJson), AllOf(Gt(500), Lt(6000)));
}

}  // namespace
}  // namespace ballast::cluster
