#include "operator/runtime/failed_calls.h"

#include "operator/process/log.h"

namespace ballast::runtime {
namespace {

log::Level LevelOf(Code code) {
  return code == Code::kNotFound || code == Code::kConflict || code == Code::kGone
             ? log::Level::kDebug
             : log::Level::kWarn;
}

}  // namespace

void LogFailedCall(const kube::FailedCall& failed) {
  const char* const code = Name(failed.error.code);
  log::Write(LevelOf(failed.error.code), log::About{failed.call, code},
             "the API server failed or refused a call",
             {{"call", failed.call},
              {"status", failed.http_status},
              {"code", code},
              {"auditId", failed.audit_id},
              {"error", failed.error.message}});
}

}  // namespace ballast::runtime
