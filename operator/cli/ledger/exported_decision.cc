#include "operator/cli/ledger/exported_decision.h"

#include <tuple>

#include "operator/cli/ledger/line_fields.h"
#include "store/records.h"

namespace ballast::cli {
namespace {

void WriteDocument(json::Writer& out, const char* name, const std::string& document) {
  if (!document.empty()) {
    out.Key(name);
    out.Raw(document);
  }
}

void WriteDocuments(json::Writer& out, const store::Documents& documents) {
  WriteDocument(out, "snapshot", documents.snapshot);
  WriteDocument(out, "conclusion", documents.conclusion);
}

// What the conclusion is about, where something else was found out later.
void WriteConcluded(json::Writer& out, const store::Entry& entry) {
  if (std::tie(entry.concluded, entry.concluded_error) !=
      std::tie(entry.disposition, entry.error)) {
    out.Object("concluded", [&] {
      out.Field("outcome", store::Name(entry.concluded));
      if (!entry.concluded_error.empty()) {
        out.Field("error", entry.concluded_error);
      }
    });
  }
}

}  // namespace

std::string IdOf(const store::Entry& entry) {
  return (entry.ledger.empty() ? "" : entry.ledger + "/") + std::to_string(entry.id);
}

void WriteSummary(json::Writer& out, const store::Entry& entry) {
  if (!entry.ledger.empty()) {
    out.Field("pod", entry.ledger);
  }
  WriteFields(out, entry);
}

std::string PrintLine(const store::FullEntry& decision) {
  json::Writer out;
  out.Object([&] {
    WriteSummary(out, decision.entry);
    WriteConcluded(out, decision.entry);
    WriteDocuments(out, decision.documents);
    if (!decision.reasons.empty()) {
      out.Array("reasons", [&] {
        for (const store::ReasonEntry& reason : decision.reasons) {
          out.Object([&] {
            out.Field("time", Print(reason.time));
            out.Field("reason", reason.reason);
            out.Field("message", reason.message);
            WriteDocuments(out, reason.documents);
          });
        }
      });
    }
  });
  return out.Take();
}

}  // namespace ballast::cli
