#include "operator/schedules/agenda.h"

#include <algorithm>
#include <iterator>

namespace ballast::schedules {
namespace {

std::vector<std::string> OpenIn(const ScheduleTimeline& timeline) {
  std::vector<std::string> open;
  for (const engine::ScheduleWindow& window : timeline.windows()) {
    if (window.Contains(timeline.now())) {
      open.push_back(window.name);
    }
  }
  return open;
}

// Those of `names` that are not among `others`.
std::vector<std::string> Without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> left;
  std::ranges::copy_if(names, std::back_inserter(left), [&](const std::string& name) {
    return std::ranges::find(others, name) == others.end();
  });
  return left;
}

}  // namespace

Agenda MakeAgenda(const api::AutoscalerSpec& spec, Time from, Time until) {
  ScheduleTimeline timeline(spec, from, from);
  Agenda agenda{.spells = {}, .lost = timeline.lost()};
  std::vector<std::string> before = OpenIn(timeline);
  for (;;) {
    const Time start = timeline.now();
    std::vector<std::string> open = OpenIn(timeline);
    Spell spell{.start = start,
                .end = until,
                .bounds = timeline.bounds(),
                .held = timeline.held(),
                .open = open,
                .started = Without(open, before),
                .ended = Without(before, open)};
    before = std::move(open);
    const bool more = timeline.Step().has_value() && timeline.now() < until;
    if (more) {
      spell.end = timeline.now();
    }
    agenda.spells.push_back(std::move(spell));
    if (!more) {
      return agenda;
    }
    if (agenda.spells.size() == kMostSpells) {
      agenda.complete = false;
      return agenda;
    }
  }
}

}  // namespace ballast::schedules
