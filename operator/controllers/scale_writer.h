// A write of a scale and what came of it. A write that nobody confirmed is read back (read_back.h);
// what cannot be found out so is the settler's to ask for again.
//
// Thread-safety: any thread, but one policy by one thread at a time.
#pragma once

#include "api/autoscaling.h"
#include "operator/controllers/settle.h"
#include "operator/controllers/targets.h"
#include "operator/engine/decision.h"
#include "operator/kube/client.h"
#include "operator/kube/resource.h"

namespace ballast::controllers {

class ScaleWriter {
 public:
  // All must outlive this.
  ScaleWriter(kube::Client& client, Targets& targets, Settler& settler)
      : client_(client), targets_(targets), settler_(settler) {}

  // Carries out what was decided about the policy's scale, which `resource` serves; the intent is
  // on record by now.
  engine::Outcome Write(const api::Autoscaler& policy, const kube::Resource& resource,
                        const WriteAttempt& attempt);

 private:
  kube::Client& client_;
  Targets& targets_;
  Settler& settler_;
};

}  // namespace ballast::controllers
