#include "operator/server/debug_page.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::server {
namespace {

using telemetry::SteadyTime;

// Rounded to milliseconds.
double Seconds(std::chrono::nanoseconds span) {
  constexpr double kMillis = 1000;
  return std::round(std::chrono::duration<double>(span).count() * kMillis) / kMillis;
}

// `print` writes the members of one item.
template <typename T, typename PrintItem>
void PrintList(json::Writer& out, const std::string& name, const telemetry::Shown<T>& list,
               PrintItem print) {
  out.Array(name, [&] {
    for (const T& item : list.items) {
      out.Object([&] { print(item); });
    }
  });
  if (list.left_out > 0) {
    out.Field(name + "LeftOut", static_cast<std::int64_t>(list.left_out));
  }
}

void PrintWatch(json::Writer& out, const telemetry::WatchDebugState& watch, SteadyTime now) {
  out.Field("resource", watch.resource);
  if (!watch.namespace_.empty()) {
    out.Field("namespace", watch.namespace_);
  }
  out.Field("state", watch.state);
  if (watch.heard_at) {
    out.Field("heardSecondsAgo", Seconds(now - *watch.heard_at));
  }
  if (watch.last_error) {
    out.Object("lastError", [&] {
      out.Field("secondsAgo", Seconds(now - watch.last_error->at));
      out.Field("code", watch.last_error->code);
      out.Field("message", watch.last_error->message);
    });
  }
}

void PrintApi(json::Writer& out, const telemetry::MetricsApiDebugState& api) {
  out.Field("api", api.api);
  out.Field("inWork", static_cast<std::int64_t>(api.in_work));
  out.Field("slow", static_cast<std::int64_t>(api.slow));
  out.Field("waiting", static_cast<std::int64_t>(api.waiting));
  if (api.left_alone > 0) {
    out.Field("namespacesNotAskedFor", static_cast<std::int64_t>(api.left_alone));
  }
  if (api.open.count() > 0) {
    out.Field("notAskedForSeconds", Seconds(api.open));
  }
}

// Sorted by silence: watches that have heard nothing at all first, then the longest silence.
telemetry::Shown<telemetry::WatchDebugState> Worst(
    std::vector<telemetry::WatchDebugState> watches) {
  std::stable_sort(watches.begin(), watches.end(),
                   [](const auto& a, const auto& b) { return a.heard_at < b.heard_at; });
  const std::size_t shown = std::min(watches.size(), telemetry::kMostShown);
  const std::size_t left_out = watches.size() - shown;
  watches.resize(shown);
  return {std::move(watches), left_out};
}

}  // namespace

std::string Print(const DebugState& debug_state) {
  json::Writer out;
  const auto key = [&](const telemetry::KeySince& item) {
    out.Field("object", item.object);
    out.Field("seconds", Seconds(debug_state.now - item.since));
  };
  out.Object([&] {
    PrintList(out, "watches", Worst(debug_state.watches),
              [&](const auto& watch) { PrintWatch(out, watch, debug_state.now); });
    out.Object("queue", [&] {
      PrintList(out, "waiting", debug_state.queue.waiting, key);
      PrintList(out, "inWork", debug_state.queue.in_work, key);
      out.Field("delayed", static_cast<std::int64_t>(debug_state.queue.delayed));
    });
    out.Array("metricsApis", [&] {
      for (const telemetry::MetricsApiDebugState& api : debug_state.metrics_apis) {
        out.Object([&] { PrintApi(out, api); });
      }
    });
  });
  const auto document = json::Parse(out.Take());
  json::Decoder decoder(*document);
  return decoder.root().PrintIndented() + "\n";
}

}  // namespace ballast::server
