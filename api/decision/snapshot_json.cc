#include "api/decision/snapshot_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "api/decision/memory_fields.h"
#include "api/decision/schedule_window_json.h"
#include "api/kubernetes/codec.h"

namespace ballast::engine {

// ---- The fields of what a snapshot consists of (codec.h)

void Fields(auto& f, api::Of<Rival> auto& v) {
  f.Required("name", v.name);
  f.Always("selector", v.selector);
}

void Fields(auto& f, api::Of<UnsettledWrite> auto& v) {
  f.Required("time", v.time);
  f.Required("from", v.from);
  f.Required("to", v.to);
}

void Fields(auto& f, api::Of<SuspectSource> auto& v) {
  f.Required("name", v.name);
  f.Required("since", v.since);
}

void Fields(auto& f, api::Of<Opponent> auto& v) {
  f.Always("manager", v.manager);
  f.Required("from", v.from);
  f.Required("to", v.to);
}

void Fields(auto& f, api::Of<LedgerTrouble> auto& v) {
  f.Required("reason", v.reason);
  f.Always("message", v.message);
}

namespace {

using api::Decode;
using api::Encode;
using api::EncodeField;

void ReadSeconds(const json::Cursor& in, Duration& out) {
  constexpr double kMaxSeconds = 1e9;  // about 30 years; fits in 64 bits of nanoseconds
  double seconds = 0;
  if (!in.present() || !in.Read(seconds)) {
    return;
  }
  if (seconds < -kMaxSeconds || seconds > kMaxSeconds) {
    in.Fail("is out of range");
    return;
  }
  out = Duration{std::llround(seconds * 1e9)};
}

// Writes an integer if there is no fraction.
void WriteSeconds(json::Writer& out, const char* name, Duration span) {
  constexpr std::int64_t kSecond = Duration::Seconds(1).nanoseconds;
  if (span.nanoseconds % kSecond == 0) {
    out.Field(name, span.nanoseconds / kSecond);
  } else {
    out.Field(name, span.seconds());
  }
}

// "1.36"; what follows the minor version does not count.
void ReadVersion(const json::Cursor& in, int& minor) {
  std::string text;
  if (!in.Read(text)) {
    return;
  }
  constexpr std::string_view kMajor = "1.";
  int number = 0;
  const char* const begin = text.data() + std::min(kMajor.size(), text.size());
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (!text.starts_with(kMajor) || error != std::errc() || (rest != end && *rest != '.') ||
      number < 0) {
    in.Fail("must be a version of Kubernetes like \"1.36\"");
    return;
  }
  minor = HpaRulesOf(number);
}

void Read(const json::Cursor& in, Settings& out) {
  in.Member("tolerance").Read(out.tolerance);
  ReadSeconds(in.Member("cpuInitializationPeriodSeconds"), out.cpu_initialization_period);
  ReadSeconds(in.Member("initialReadinessDelaySeconds"), out.initial_readiness_delay);
  ReadSeconds(in.Member("downscaleStabilizationSeconds"), out.downscale_stabilization);
  ReadSeconds(in.Member("staleAfterSeconds"), out.stale_after);
  ReadSeconds(in.Member("maxViewAgeSeconds"), out.max_view_age);
  ReadSeconds(in.Member("suspectHoldSeconds"), out.suspect_hold);
  ReadSeconds(in.Member("syncPeriodSeconds"), out.sync_period);
  const json::Cursor gates = in.Member("featureGates");
  gates.Member("HPAScaleToZero").Read(out.scale_to_zero);
  gates.Member("HPAConfigurableTolerance").Read(out.configurable_tolerance);
  ReadVersion(in.Member("kubernetesVersion"), out.kubernetes_minor);
}

// If there is an error, stores it in `out` as a Failure and returns true.
template <typename Variant>
bool ReadFailure(const json::Cursor& error, Variant& out) {
  if (!error.present()) {
    return false;
  }
  Failure failure;
  error.Read(failure.message);
  out = std::move(failure);
  return true;
}

// Reads an array into shared, constant items.
template <typename Item>
std::vector<std::shared_ptr<const Item>> ReadShared(const json::Cursor& in) {
  std::vector<std::shared_ptr<const Item>> list;
  const auto elements = in.Elements();
  list.reserve(elements.size());
  for (const json::Cursor& element : elements) {
    auto item = std::make_shared<Item>();
    Decode(element, *item);
    list.push_back(std::move(item));
  }
  return list;
}

void Read(const json::Cursor& in, std::variant<Failure, api::Scale>& out) {
  if (ReadFailure(in.Member("error"), out)) {
    return;
  }
  api::Scale scale;
  Decode(in.Required("object"), scale);
  out = std::move(scale);
}

void Read(const json::Cursor& in, MetricAnswer& out) {
  if (in.IsNull()) {  // never asked for; matters only if the metric is computed
    out = Failure{"the snapshot has no answer"};
    return;
  }
  if (ReadFailure(in.Member("error"), out)) {
    return;
  }
  if (const json::Cursor pods = in.Member("podMetrics"); pods.present()) {
    out = ReadShared<api::PodMetrics>(pods.Member("items"));
    return;
  }
  MetricValueList values;
  Decode(in.Required("values").Member("items"), values);
  out = std::move(values);
}

template <typename T>
void ReadList(const json::Cursor& in, std::vector<T>& out) {
  const auto elements = in.Elements();
  out.reserve(elements.size());
  for (const json::Cursor& element : elements) {
    Read(element, out.emplace_back());
  }
}

void CheckKind(const json::Cursor& in, const api::Autoscaler& autoscaler) {
  if (autoscaler.kind != api::kHpaKind && autoscaler.kind != api::kPolicyKind) {
    in.Member("kind").Fail("is neither " + std::string(api::kHpaKind) + " nor " + api::kPolicyKind);
  }
}

void Read(const json::Cursor& in, Snapshot& out) {
  in.Member("id").Read(out.id);
  Decode(in.Required("now"), out.now);
  Read(in.Member("settings"), out.settings);
  const json::Cursor autoscaler = in.Required("autoscaler");
  autoscaler.Required("kind");
  autoscaler.Required("spec").Required("maxReplicas");
  Decode(autoscaler, out.autoscaler);
  CheckKind(autoscaler, out.autoscaler);
  Read(in.Required("scale"), out.scale);
  if (!ReadFailure(in.Member("podsError"), out.pods)) {
    out.pods = ReadShared<api::Pod>(in.Member("pods"));
  }
  Decode(in.Member("rivals"), out.rivals);
  ReadList(in.Member("metrics"), out.metrics);
  in.Member("scaleUpdateError").Read(out.scale_update_error);
  in.Member("series").Read(out.series);
  Decode(in.Member("memory"), out.memory);
  in.Member("podsLeftOut").Read(out.pods_left_out);
  Decode(in.Member("lastEvaluation"), out.last_evaluation);
  if (const json::Cursor age = in.Member("podsAge"); age.present()) {
    ReadSeconds(age, out.pods_age.emplace());
  }
  if (const json::Cursor every = in.Member("samplesEvery"); every.present()) {
    ReadSeconds(every, out.samples_every.emplace());
  }
  in.Member("clockJumped").Read(out.clock_jumped);
  in.Member("interrupted").Read(out.interrupted);
  in.Member("silenceEnded").Read(out.silence_ended);
  Decode(in.Member("unsettledWrite"), out.unsettled_write);
  Decode(in.Member("suspectSource"), out.suspect_source);
  in.Member("takesOverFrom").Read(out.takes_over_from);
  Decode(in.Member("opponent"), out.opponent);
  Decode(in.Member("ledgerTrouble"), out.ledger_trouble);
  Decode(in.Member("schedules"), out.schedules);
  Decode(in.Member("overrides"), out.overrides);
}

void Write(json::Writer& out, const Settings& settings) {
  out.Object([&] {
    out.Field("tolerance", settings.tolerance);
    WriteSeconds(out, "cpuInitializationPeriodSeconds", settings.cpu_initialization_period);
    WriteSeconds(out, "initialReadinessDelaySeconds", settings.initial_readiness_delay);
    WriteSeconds(out, "downscaleStabilizationSeconds", settings.downscale_stabilization);
    WriteSeconds(out, "staleAfterSeconds", settings.stale_after);
    WriteSeconds(out, "maxViewAgeSeconds", settings.max_view_age);
    if (settings.suspect_hold != Settings().suspect_hold) {
      WriteSeconds(out, "suspectHoldSeconds", settings.suspect_hold);
    }
    if (settings.sync_period != Settings().sync_period) {
      WriteSeconds(out, "syncPeriodSeconds", settings.sync_period);
    }
    if (settings.kubernetes_minor != Settings().kubernetes_minor) {
      out.Field("kubernetesVersion", "1." + std::to_string(settings.kubernetes_minor));
    }
    out.Object("featureGates", [&] {
      out.Field("HPAScaleToZero", settings.scale_to_zero);
      out.Field("HPAConfigurableTolerance", settings.configurable_tolerance);
    });
  });
}

template <typename Item>
void WriteShared(json::Writer& out, const std::vector<std::shared_ptr<const Item>>& list) {
  out.Array([&] {
    for (const auto& item : list) {
      Encode(out, *item);
    }
  });
}

void Write(json::Writer& out, const MetricAnswer& answer) {
  out.Object([&] {
    if (const auto* failure = std::get_if<Failure>(&answer)) {
      out.Field("error", failure->message);
    } else if (const auto* pods = std::get_if<PodMetricsList>(&answer)) {
      out.Object("podMetrics", [&] {
        out.Key("items");
        WriteShared(out, *pods);
      });
    } else {
      out.Object("values", [&] {
        out.Key("items");
        Encode(out, std::get<MetricValueList>(answer));
      });
    }
  });
}

void Write(json::Writer& out, const std::variant<Failure, api::Scale>& scale) {
  out.Object([&] {
    if (const auto* failure = std::get_if<Failure>(&scale)) {
      out.Field("error", failure->message);
    } else {
      out.Key("object");
      Encode(out, std::get<api::Scale>(scale));
    }
  });
}

void WritePods(json::Writer& out, const std::variant<Failure, PodList>& pods) {
  if (const auto* failure = std::get_if<Failure>(&pods)) {
    out.Field("podsError", failure->message);
  } else {
    out.Key("pods");
    WriteShared(out, std::get<PodList>(pods));
  }
}

// What upstream's controller does not know.
void WriteOwn(json::Writer& out, const Snapshot& snapshot) {
  if (snapshot.pods_left_out != 0) {
    out.Field("podsLeftOut", snapshot.pods_left_out);
  }
  if (snapshot.last_evaluation) {
    out.Field("lastEvaluation", Print(*snapshot.last_evaluation));
  }
  if (snapshot.pods_age) {
    WriteSeconds(out, "podsAge", *snapshot.pods_age);
  }
  if (snapshot.samples_every) {
    WriteSeconds(out, "samplesEvery", *snapshot.samples_every);
  }
  if (snapshot.clock_jumped) {
    out.Field("clockJumped", true);
  }
  if (snapshot.interrupted) {
    out.Field("interrupted", true);
  }
  if (snapshot.silence_ended) {
    out.Field("silenceEnded", true);
  }
  EncodeField(out, "unsettledWrite", snapshot.unsettled_write);
  EncodeField(out, "suspectSource", snapshot.suspect_source);
  out.Field("takesOverFrom", snapshot.takes_over_from);
  EncodeField(out, "opponent", snapshot.opponent);
  EncodeField(out, "ledgerTrouble", snapshot.ledger_trouble);
  EncodeField(out, "schedules", snapshot.schedules);
  EncodeField(out, "overrides", snapshot.overrides);
}

}  // namespace

Result<Snapshot> DecodeSnapshot(const json::Document& document) {
  json::Decoder decoder(document);
  Snapshot snapshot;
  Read(decoder.root(), snapshot);
  TRY(decoder.status());
  return snapshot;
}

Result<Snapshot> ParseSnapshot(std::string_view text) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
  return DecodeSnapshot(document);
}

void Encode(json::Writer& out, const Memory& memory) { api::WriteFields(out, memory); }

void Encode(json::Writer& out, const Snapshot& snapshot) {
  out.Object([&] {
    if (!snapshot.id.empty()) {
      out.Field("id", snapshot.id);
    }
    out.Field("now", Print(snapshot.now));
    out.Key("settings");
    Write(out, snapshot.settings);
    out.Key("autoscaler");
    Encode(out, snapshot.autoscaler);
    out.Key("scale");
    Write(out, snapshot.scale);
    WritePods(out, snapshot.pods);
    EncodeField(out, "rivals", snapshot.rivals);
    out.Array("metrics", [&] {
      for (const MetricAnswer& answer : snapshot.metrics) {
        Write(out, answer);
      }
    });
    out.Field("scaleUpdateError", snapshot.scale_update_error);
    out.Field("series", snapshot.series);
    EncodeField(out, "memory", snapshot.memory);
    WriteOwn(out, snapshot);
  });
}

}  // namespace ballast::engine
