#include "operator/cli/ledger/exported_decision.h"

#include <tuple>

#include "api/json/json.h"
#include "operator/cli/ledger/history_parse.h"
#include "operator/cli/ledger/history_print.h"
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

store::Documents ReadDocuments(const json::Cursor& in) {
  const auto document = [&](const char* name) {
    const json::Cursor member = in.Member(name);
    return member.present() ? member.Print() : "";
  };
  return {document("snapshot"), document("conclusion")};
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

void ReadConcluded(const json::Cursor& in, store::Entry& entry) {
  entry.concluded = entry.disposition;
  entry.concluded_error = entry.error;
  if (const json::Cursor concluded = in.Member("concluded"); concluded.present()) {
    entry.concluded = ReadOutcome(concluded);
    entry.concluded_error = concluded.Member("error").Text();
  }
}

}  // namespace

std::string IdOf(const ExportedDecision& decision) {
  return (decision.pod.empty() ? "" : decision.pod + "/") + std::to_string(decision.entry.id);
}

void WriteSummary(json::Writer& out, const ExportedDecision& decision) {
  if (!decision.pod.empty()) {
    out.Field("pod", decision.pod);
  }
  WriteFields(out, decision.entry);
}

std::string PrintLine(const ExportedDecision& decision) {
  json::Writer out;
  out.Object([&] {
    WriteSummary(out, decision);
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

Result<ExportedDecision> ParseLine(std::string_view line) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(line));
  json::Decoder decoder(document);
  const json::Cursor root = decoder.root();
  ExportedDecision decision;
  decision.pod = root.Member("pod").Text();
  decision.entry = ReadEntry(root);
  ReadConcluded(root, decision.entry);
  decision.documents = ReadDocuments(root);
  for (const json::Cursor& in : root.Member("reasons").Elements()) {
    store::ReasonEntry& reason = decision.reasons.emplace_back();
    json::Read(in.Required("time"), reason.time);
    in.Required("reason").Read(reason.reason);
    in.Required("message").Read(reason.message);
    reason.documents = ReadDocuments(in);
  }
  TRY(decoder.status());
  return decision;
}

}  // namespace ballast::cli
