#include "operator/controllers/settle.h"

#include <variant>

#include "operator/controllers/evaluation.h"
#include "operator/controllers/read_back.h"
#include "operator/engine/engine.h"
#include "operator/engine/snapshot_json.h"
#include "operator/runtime/log.h"

namespace ballast::controllers {
namespace {

Result<engine::Outcome> FindOutcome(const engine::Snapshot& snapshot,
                                    const store::OpenIntent& intent, Targets& targets,
                                    kube::Client& client) {
  const auto* scale = std::get_if<api::Scale>(&snapshot.scale);
  if (scale == nullptr) {
    return Error{Code::kCorrupt, "the recorded snapshot has no scale"};
  }
  const api::CrossVersionObjectReference& target = snapshot.autoscaler.spec.scale_target_ref;
  ASSIGN_OR_RETURN(const kube::Resource resource, targets.Resolve(target));
  return ReadBack(client, resource, {intent.subject.key.namespace_, target.name},
                  {scale->metadata.uid, intent.from, intent.to});
}

Status Settle(const store::OpenIntent& intent, store::Ledger& ledger, Targets& targets,
              kube::Client& client, const runtime::Clock& clock) {
  ASSIGN_OR_RETURN(const engine::Snapshot snapshot, engine::ParseSnapshot(intent.snapshot));
  auto found = FindOutcome(snapshot, intent, targets, client);
  const engine::Outcome outcome =
      found.ok() ? *found : engine::Outcome{engine::Outcome::Kind::kUnknown, found.error().message};
  const engine::Conclusion conclusion =
      engine::Conclude(snapshot, engine::Decide(snapshot), outcome);
  ledger.RecordOutcome(intent.id, outcome, clock.Now(), conclusion.memory,
                       [&] { return Print(conclusion); });
  log::Info("settled an intent of an earlier run",
            {{"policy", intent.subject.key.Print()},
             {"from", intent.from},
             {"to", intent.to},
             {"written", outcome.kind == engine::Outcome::Kind::kWritten},
             {"detail", outcome.message}});
  return Done{};
}

}  // namespace

void SettleIntents(store::Ledger& ledger, Targets& targets, kube::Client& client,
                   const runtime::Clock& clock) {
  for (const store::OpenIntent& intent : ledger.OpenIntents()) {
    if (const Status settled = Settle(intent, ledger, targets, client, clock); !settled.ok()) {
      log::Error("an intent of an earlier run cannot be settled",
                 {{"policy", intent.subject.key.Print()}, {"error", settled.error().message}});
    }
  }
}

}  // namespace ballast::controllers
