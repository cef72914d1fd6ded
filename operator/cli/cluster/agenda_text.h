// How `ballast schedule` shows what the schedules of a policy will do.
#pragma once

#include <cstddef>
#include <string>

#include "api/autoscaling/types.h"
#include "operator/cli/terminal/times.h"
#include "operator/schedules/agenda.h"

namespace ballast::cli {

// A line for each spell; its times in `zone`.
std::string AgendaTable(const schedules::Agenda& agenda, const api::AutoscalerSpec& spec, Zone zone,
                        bool headers);

struct AgendaScreen {
  std::size_t width = 80;  // in columns; narrower than 40 counts as 40
  bool unicode = true;     // false: ASCII only
  Zone zone = Zone::kUtc;
};
// A line for each schedule, with the times at which its windows are open, and the bounds below.
std::string AgendaPlot(const schedules::Agenda& agenda, const api::AutoscalerSpec& spec,
                       const AgendaScreen& screen);

// As a JSON object, with the API's names.
std::string AgendaJson(const schedules::Agenda& agenda, const api::Autoscaler& policy);

}  // namespace ballast::cli
