#include "operator/sources/custom_metrics_version.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "operator/kube/get_document.h"

namespace ballast::sources {
namespace {

constexpr const char* kGroup = "/apis/custom.metrics.k8s.io";
constexpr std::array<std::string_view, 2> kRead = {"v1beta2", "v1beta1"};  // the newer one first

constexpr std::chrono::minutes kFor{10};
constexpr std::chrono::seconds kWithoutAnswer{10};

// nullopt: no answer, or neither version is served.
std::optional<std::string> Discover(kube::Transport& transport) {
  const auto group = kube::GetDocument(transport, kGroup);
  if (!group.ok()) {
    return std::nullopt;
  }
  json::Decoder decoder(*group);
  std::vector<std::string_view> served = {
      decoder.root().Member("preferredVersion").Member("version").Text()};
  for (const json::Cursor& version : decoder.root().Member("versions").Elements()) {
    served.push_back(version.Member("version").Text());
  }
  if (std::ranges::find(kRead, served.front()) != kRead.end()) {
    return std::string(served.front());
  }
  const auto newest = std::ranges::find_if(
      kRead, [&](std::string_view one) { return std::ranges::find(served, one) != served.end(); });
  return newest == kRead.end() ? std::nullopt : std::optional(std::string(*newest));
}

}  // namespace

std::string CustomMetricsVersion::Get() {
  std::unique_lock lock(mutex_);
  if (clock_.Steady() >= ask_at_ && !(asking_ && known_)) {
    asking_ = true;
    lock.unlock();
    auto found = Discover(transport_);
    lock.lock();
    asking_ = false;
    ask_at_ = clock_.Steady() +
              (found ? std::chrono::nanoseconds(kFor) : std::chrono::nanoseconds(kWithoutAnswer));
    if (found) {  // else what was known may still be so
      known_ = std::move(found);
    }
  }
  return known_.value_or(std::string(kRead.front()));
}

}  // namespace ballast::sources
