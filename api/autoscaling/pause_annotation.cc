#include "api/autoscaling/pause_annotation.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "api/autoscaling/annotation.h"
#include "api/base/printable.h"

namespace ballast::api {
namespace {

constexpr std::size_t kMostOfBy = 100;
constexpr std::size_t kMostOfReason = 300;

struct PauseDirection {
  std::string_view name;  // in the annotation
  bool in;
  bool out;
};
constexpr PauseDirection kBoth{"Both", true, true};
constexpr PauseDirection kDirections[] = {kBoth, {"In", true, false}, {"Out", false, true}};

// Null if it is not understood.
const PauseDirection* FindDirection(const std::string& text) {
  const auto* found = std::ranges::find(kDirections, text, &PauseDirection::name);
  return found == std::end(kDirections) ? nullptr : found;
}

const PauseDirection& DirectionOf(const Autoscaler& autoscaler) {
  const std::string* text = FindAnnotation(autoscaler, kPausedDirection);
  const PauseDirection* direction = text == nullptr ? nullptr : FindDirection(*text);
  return direction == nullptr ? kBoth : *direction;
}

std::string Shown(const Autoscaler& autoscaler, const char* name, std::size_t most) {
  const std::string* text = FindAnnotation(autoscaler, name);
  return text == nullptr ? "" : Printable(*text, most);
}

}  // namespace

std::optional<Pause> FindPause(const Autoscaler& autoscaler) {
  const std::string* text = FindAnnotation(autoscaler, kPausedUntil);
  if (text == nullptr) {
    return std::nullopt;
  }
  const auto until = ParseTime(*text);
  if (!until.ok()) {
    return std::nullopt;
  }
  const PauseDirection& direction = DirectionOf(autoscaler);
  return Pause{.until = *until,
               .in = direction.in,
               .out = direction.out,
               .by = Shown(autoscaler, kPausedBy, kMostOfBy),
               .reason = Shown(autoscaler, kPausedReason, kMostOfReason)};
}

std::optional<Pause> PauseOf(const Autoscaler& autoscaler, Time now) {
  auto pause = FindPause(autoscaler);
  return pause && now < pause->until ? pause : std::nullopt;
}

std::string Print(const Pause& pause) {
  const std::string what = pause.in && pause.out ? "scaling" : pause.in ? "scale-in" : "scale-out";
  return (pause.by.empty() ? what + " is paused" : pause.by + " paused " + what) + " until " +
         (pause.open_end.empty() ? Print(pause.until) : pause.open_end) +
         (pause.reason.empty() ? "" : ": " + pause.reason);
}

bool PauseHasNoEnd(const Autoscaler& autoscaler) {
  const std::string* until = FindAnnotation(autoscaler, kPausedUntil);
  return until != nullptr && !ParseTime(*until).ok();
}

FieldErrors CheckPause(const Autoscaler& autoscaler) {
  FieldErrors errors;
  const auto field = [](const char* name) {
    return "metadata.annotations[" + std::string(name) + "]";
  };
  if (PauseHasNoEnd(autoscaler)) {
    errors.Add(field(kPausedUntil), std::string("must be ") + kPauseEnd);
  }
  const std::string* direction = FindAnnotation(autoscaler, kPausedDirection);
  if (direction != nullptr && FindDirection(*direction) == nullptr) {
    errors.Add(field(kPausedDirection), "must be In, Out or Both");
  }
  return errors;
}

}  // namespace ballast::api
