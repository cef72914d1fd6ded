#include "operator/cli/selection.h"

#include <vector>

#include "operator/cli/near_names.h"
#include "operator/cli/times.h"

namespace ballast::cli {
namespace {

Result<std::optional<Time>> ParseEnd(const std::string& option, const std::string& text,
                                     Zone zone) {
  if (text.empty()) {
    return std::optional<Time>();
  }
  ASSIGN_OR_RETURN(const Time time, ParseMoment(option, text, Now(), zone));
  return std::optional(time);
}

}  // namespace

Result<api::ObjectKey> FindRecorded(store::History& reader, const std::string& name,
                                    const std::string& kind) {
  if (const auto slash = name.find('/'); slash != std::string::npos) {
    const api::ObjectKey key{name.substr(0, slash), name.substr(slash + 1)};
    ASSIGN_OR_RETURN(const bool known, reader.Knows(key, kind));
    if (known) {
      return key;
    }
  }
  ASSIGN_OR_RETURN(const auto subjects, reader.Subjects());
  std::vector<std::string> names;
  for (const auto& subject : subjects) {
    if (kind.empty() || subject.kind == kind) {
      names.push_back(subject.key.Print());
    }
  }
  std::string message =
      "nothing is recorded of " + (kind.empty() ? "" : kind + " ") + "\"" + name + "\"";
  if (name.find('/') == std::string::npos) {
    message += " (give NAMESPACE/NAME)";
  }
  const auto near = NearNames(name, std::move(names));
  for (std::size_t i = 0; i < near.size(); ++i) {
    message += (i == 0 ? "; did you mean " : " or ") + near[i];
  }
  return Error{Code::kNotFound, message + (near.empty() ? "" : "?")};
}

Result<store::HistoryQuery> QueryFor(store::History& reader, const Selection& selection) {
  store::HistoryQuery query;
  ASSIGN_OR_RETURN(query.since, ParseEnd("--since", selection.since, selection.zone));
  ASSIGN_OR_RETURN(query.until, ParseEnd("--until", selection.until, selection.zone));
  if (!selection.name.empty()) {
    ASSIGN_OR_RETURN(query.key, FindRecorded(reader, selection.name, selection.kind));
  }
  query.kind = selection.kind;
  return query;
}

}  // namespace ballast::cli
