#include "tests/conformance/check.h"

#include "api/decision/snapshot_json.h"
#include "api/json/json.h"
#include "tests/conformance/equality.h"

namespace ballast::testing {

Result<Check> CheckVector(std::string_view line, explain::DecisionStream& stream) {
  ASSIGN_OR_RETURN(const json::Document vector, json::Parse(line));
  json::Decoder decoder(vector);
  const std::string text = decoder.root().Required("snapshot").Print();
  ASSIGN_OR_RETURN(const engine::Snapshot snapshot, engine::ParseSnapshot(text));
  ASSIGN_OR_RETURN(const json::Document answer, json::Parse(stream.Answer(text)));
  json::Decoder answer_decoder(answer);
  return Check{std::string(decoder.root().Member("id").Text()),
               Differences(snapshot, decoder.root().Required("expected"), answer_decoder.root())};
}

}  // namespace ballast::testing
