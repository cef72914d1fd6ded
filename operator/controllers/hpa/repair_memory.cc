#include "operator/controllers/hpa/repair_memory.h"

#include <variant>

#include "operator/engine/memory/memory_prune.h"

namespace ballast::controllers {

void RepairMemory(engine::Snapshot& hpa) {
  if (!hpa.memory) {
    return;
  }
  engine::MoveToPast(hpa.now, *hpa.memory);
  const auto* scale = std::get_if<api::Scale>(&hpa.scale);
  const bool set_back = hpa.last_evaluation && *hpa.last_evaluation > hpa.now;
  if (scale != nullptr && (hpa.interrupted || hpa.clock_jumped || set_back)) {
    hpa.memory->recommendations.push_back({hpa.now, scale->spec_replicas});
  }
}

}  // namespace ballast::controllers
