#include "operator/cli/cluster/agenda_text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "api/base/human_duration.h"
#include "api/json/json_writer.h"
#include "operator/calendar/time_zone.h"
#include "operator/cli/row_fields.h"
#include "operator/cli/terminal/columns.h"
#include "operator/cli/terminal/one_line.h"

namespace ballast::cli {
namespace {

using schedules::Agenda;
using schedules::Spell;

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + OneLine(name);
  }
  return text;
}

std::string OrNone(const std::string& text) { return text.empty() ? "-" : text; }

std::string ShownHoldOf(const Spell& spell) { return OrNone(HoldOf(spell.held)); }

// " at 08:00 in Europe/Berlin", as the schedule has it.
std::string WallTimeOf(const std::string& name, const api::AutoscalerSpec& spec, Time time) {
  const std::vector<api::Schedule> schedules = spec.schedules.Unpack();
  const auto schedule = std::ranges::find(schedules, name, &api::Schedule::name);
  if (schedule == schedules.end()) {
    return "";
  }
  const auto zone = calendar::TimeZone::Find(schedule->time_zone);
  if (!zone) {
    return "";
  }
  const std::string shown = zone->Print(time);  // "2026-11-27T08:00:00+01:00"
  return " at " + shown.substr(shown.find('T') + 1, 5) + " in " + schedule->time_zone;
}

std::string ChangeOf(const Spell& spell, const api::AutoscalerSpec& spec) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& names, const char* what) {
    for (const std::string& name : names) {
      text +=
          (text.empty() ? "" : "; ") + OneLine(name) + what + WallTimeOf(name, spec, spell.start);
    }
  };
  add(spell.ended, " ends");
  add(spell.started, " starts");
  return text;
}

std::string MinOf(const Spell& spell) { return std::to_string(spell.bounds.min); }
std::string MaxOf(const Spell& spell) { return std::to_string(spell.bounds.max); }

std::int64_t SecondsOf(Duration span) { return span.nanoseconds / 1'000'000'000; }

// The picture: columns of equal length in time.
class AgendaPicture {
 public:
  AgendaPicture(const Agenda& agenda, const api::AutoscalerSpec& spec, const AgendaScreen& screen)
      : agenda_(agenda),
        spec_(spec),
        screen_(screen),
        from_(agenda.spells.front().start),
        length_(agenda.spells.back().end - from_) {
    for (const api::Schedule& schedule : spec.schedules.Unpack()) {
      label_ = std::max(label_, std::min(WidthOf(OneLine(schedule.name)), kLongestLabel));
    }
    columns_ = std::max(screen.width, kNarrowest) - label_ - 2;
  }

  std::string Draw() const {
    std::string text = PrintSpan(screen_.zone, from_, agenda_.spells.back().end) + "\n";
    for (const api::Schedule& schedule : spec_.schedules.Unpack()) {
      text += Line(schedule.name, Bar(schedule.name));
    }
    text += Line("maxReplicas", Changes(MaxOf)) + Line("minReplicas", Changes(MinOf));
    const bool held = std::ranges::any_of(
        agenda_.spells, [](const Spell& spell) { return !HoldOf(spell.held).empty(); });
    return text + (held ? Line("hold", Changes(ShownHoldOf)) : "") + Axis();
  }

 private:
  static constexpr std::size_t kLongestLabel = 24;
  static constexpr std::size_t kNarrowest = 40;
  static constexpr std::size_t kTickWidth = 5;

  std::size_t ColumnOf(Time time) const {
    const double part =
        static_cast<double>((time - from_).nanoseconds) / static_cast<double>(length_.nanoseconds);
    return std::min(static_cast<std::size_t>(part * static_cast<double>(columns_)), columns_ - 1);
  }

  std::string Line(const std::string& label, const std::string& cells) const {
    std::string line = PadTo(FitTo(OneLine(label), label_), label_) + "  " + cells;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  std::string Bar(const std::string& name) const {
    std::vector<bool> open(columns_);
    for (const Spell& spell : agenda_.spells) {
      if (std::ranges::find(spell.open, name) == spell.open.end()) {
        continue;
      }
      // However short it is, it is seen.
      const std::size_t last = ColumnOf(spell.end - Duration{1});
      for (std::size_t i = ColumnOf(spell.start); i <= last; ++i) {
        open[i] = true;
      }
    }
    std::string bar;
    for (const bool is : open) {
      bar += screen_.unicode ? (is ? "█" : "·") : (is ? "#" : ".");
    }
    return bar;
  }

  // What the spells have of that where it begins, if there is room.
  std::string Changes(std::string (*value_of)(const Spell&)) const {
    std::string text;
    std::string last;
    for (const Spell& spell : agenda_.spells) {
      const std::string value = value_of(spell);
      const std::size_t at = ColumnOf(spell.start);
      if (value != last && at >= text.size() + (text.empty() ? 0 : 1) &&
          at + value.size() <= columns_) {
        text.resize(at, ' ');
        text += value;
        last = value;
      }
    }
    return text;
  }

  // Round times of the day, or dates if there is no room for these.
  std::string Axis() const {
    constexpr std::int64_t kSteps[] = {3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400, 28 * 86400};
    const double seconds_each = length_.seconds() / static_cast<double>(columns_);
    std::int64_t step = kSteps[5];
    for (const std::int64_t candidate : kSteps) {
      if (static_cast<double>(candidate) / seconds_each >= kTickWidth + 2) {
        step = candidate;
        break;
      }
    }
    std::string marks;
    std::string labels;
    const Time until = agenda_.spells.back().end;
    const std::int64_t offset = SecondsOf(OffsetOf(screen_.zone, from_));
    for (std::int64_t local = ((from_.unix_seconds() + offset) / step + 1) * step;; local += step) {
      // The offset may be another one then.
      const std::int64_t then = SecondsOf(OffsetOf(screen_.zone, Time(local - offset, 0)));
      const Time tick(local - then, 0);
      if (tick >= until) {
        break;
      }
      const std::size_t at = ColumnOf(tick);
      if (at < labels.size() + (labels.empty() ? 0 : 1) || at + kTickWidth > columns_) {
        continue;
      }
      const std::string shown = PrintIn(screen_.zone, tick);  // "2026-11-27 08:00:00"
      marks.resize(at, ' ');
      marks += '|';
      labels.resize(at, ' ');
      labels += step < 86400 ? shown.substr(11, kTickWidth) : shown.substr(5, kTickWidth);
    }
    return Line("", marks) + Line("", labels);
  }

  const Agenda& agenda_;
  const api::AutoscalerSpec& spec_;
  const AgendaScreen screen_;
  const Time from_;
  const Duration length_;
  std::size_t label_ = std::string_view("maxReplicas").size();
  std::size_t columns_ = 0;
};

void List(RowFields& f, const Spell& spell, const api::AutoscalerSpec& spec, Zone zone, Time from) {
  f("FROM (" + NameOf(zone, from) + ")", PrintUnder(zone, spell.start, from), "start", spell.start);
  f("LASTS", HumanDuration(spell.end - spell.start), "end", spell.end);
  f("MIN", "minReplicas", spell.bounds.min);
  f("MAX", "maxReplicas", spell.bounds.max);
  f("HOLD", ShownHoldOf(spell), "hold", HoldOf(spell.held));
  f("OPEN", OrNone(Joined(spell.open)), "open", spell.open);
  f.Column("CHANGE", OrNone(ChangeOf(spell, spec)));
}

}  // namespace

std::string AgendaTable(const Agenda& agenda, const api::AutoscalerSpec& spec, Zone zone,
                        bool headers) {
  const Time from = agenda.spells.front().start;
  return Align(RowsOf(agenda.spells, headers,
                      [&](RowFields& f, const Spell& spell) { List(f, spell, spec, zone, from); }));
}

std::string AgendaPlot(const Agenda& agenda, const api::AutoscalerSpec& spec,
                       const AgendaScreen& screen) {
  return AgendaPicture(agenda, spec, screen).Draw();
}

std::string AgendaJson(const Agenda& agenda, const api::Autoscaler& policy) {
  json::Writer out;
  out.Object([&] {
    out.Field("namespace", policy.metadata.namespace_);
    out.Field("name", policy.metadata.name);
    out.Field("from", Print(agenda.spells.front().start));
    out.Field("until", Print(agenda.spells.back().end));
    out.Field("timeZoneData", calendar::DatabaseVersion());
    out.Field("complete", agenda.complete);
    out.Array("unknownTimeZones", [&] {
      for (const engine::LostZone& lost : agenda.lost) {
        out.Object([&] {
          out.Field("schedule", lost.name);
          out.Field("timeZone", lost.time_zone);
        });
      }
    });
    WriteObjects(out, "spells", agenda.spells, [&](RowFields& f, const Spell& spell) {
      List(f, spell, policy.spec, Zone::kUtc, spell.start);
    });
  });
  return out.Take();
}

}  // namespace ballast::cli
