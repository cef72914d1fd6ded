#include "operator/controllers/continuity.h"

namespace ballast::controllers {

void Forget(Break after, engine::Memory& memory) {
  memory.no_value_since.reset();
  memory.suspect_since.reset();
  if (after >= Break::kYielded) {
    memory.recommendations.clear();
  }
  if (after >= Break::kOtherTarget) {
    memory = {};
  }
}

}  // namespace ballast::controllers
