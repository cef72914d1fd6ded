#include "operator/cli/cluster/overrides/override_row.h"

#include <string>
#include <tuple>

#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cli/terminal/one_line.h"

namespace ballast::cli {
namespace {

// "Active (without effect: ...)", "Active on 3"
std::string PhaseOf(const api::OverrideStatus& status) {
  return (status.phase.empty() ? "not seen yet" : OneLine(status.phase)) +
         (status.matched ? " on " + std::to_string(*status.matched) : "") +
         (status.message.empty() ? "" : " (" + OneLine(status.message) + ")");
}

}  // namespace

void List(RowFields& f, const api::AutoScaleOverride& override, bool with_namespace) {
  const auto& [spec, status] = std::tie(override.spec, override.status);
  if (with_namespace) {
    f.Column("NAMESPACE", override.metadata.namespace_);
  }
  f.Member("namespace", override.metadata.namespace_);
  f("NAME", override.metadata.name, "name", override.metadata.name);
  f.Column("TARGET", TargetName(spec));
  f.Column("OVERRIDE", Effect(spec));
  f.Column("FROM", Print(override.start()));
  f.Column("UNTIL", Print(spec.until));
  f.Column("OWNER", status.owner.empty() ? api::kUnknownOwner : OneLine(status.owner));
  f.Column("PHASE", PhaseOf(status));
  f.Column("REASON", OneLine(spec.reason));
  f.Member("spec", spec);
  f.Optional("ended", override.ended);
  f.Member("status", status);
}

}  // namespace ballast::cli
