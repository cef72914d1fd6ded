#include "operator/cli/selection.h"

#include <optional>
#include <utility>
#include <vector>

#include "operator/cli/autoscaler_name.h"
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

// The options together, without looking whether there is such an autoscaler.
Result<AutoscalerChoice> Combine(const AutoscalerChoice& choice) {
  if (choice.name.empty()) {
    return choice;
  }
  ASSIGN_OR_RETURN(const AutoscalerName name, ParseName(choice.name));
  const auto differ = [](const std::string& one, const std::string& other) {
    return !one.empty() && !other.empty() && one != other;
  };
  if (differ(name.kind, choice.kind)) {
    return Error{Code::kInvalid, choice.name + " is not of the kind that --kind says"};
  }
  if (differ(name.namespace_, choice.namespace_)) {
    return Error{Code::kInvalid, choice.name + " is not in the namespace that -n says"};
  }
  return AutoscalerChoice{name.name, name.namespace_.empty() ? choice.namespace_ : name.namespace_,
                          name.kind.empty() ? choice.kind : name.kind};
}

// Those that may have been meant: of the same name in any namespace, or of a similar one.
Result<std::string> Suggest(store::History& reader, const AutoscalerChoice& asked) {
  ASSIGN_OR_RETURN(const auto subjects, reader.Subjects());
  std::vector<std::string> names;
  for (const auto& subject : subjects) {
    if (asked.kind.empty() || subject.kind == asked.kind) {
      names.push_back(subject.key.Print());
    }
  }
  std::string text;
  const std::string name = (asked.namespace_.empty() ? "" : asked.namespace_ + "/") + asked.name;
  for (const std::string& near : NearNames(name, std::move(names))) {
    text += (text.empty() ? "; did you mean " : " or ") + near;
  }
  return text + (text.empty() ? "" : "?");
}

}  // namespace

Result<store::HistoryQuery> FindRecorded(store::History& reader, const AutoscalerChoice& choice) {
  ASSIGN_OR_RETURN(const AutoscalerChoice asked, Combine(choice));
  store::HistoryQuery query;
  query.kind = asked.kind;
  if (asked.name.empty()) {
    query.namespace_ = asked.namespace_;
    return query;
  }
  if (asked.namespace_.empty()) {
    ASSIGN_OR_RETURN(const std::string suggestion, Suggest(reader, asked));
    return Error{
        Code::kInvalid,
        "\"" + choice.name + "\" has no namespace: give NAMESPACE/NAME, or -n" + suggestion};
  }
  query.key = api::ObjectKey{asked.namespace_, asked.name};
  ASSIGN_OR_RETURN(const bool known, reader.Knows(*query.key, query.kind));
  if (!known) {
    ASSIGN_OR_RETURN(const std::string suggestion, Suggest(reader, asked));
    return Error{Code::kNotFound, "nothing is recorded of " +
                                      (asked.kind.empty() ? "" : asked.kind + " ") + "\"" +
                                      query.key->Print() + "\"" + suggestion};
  }
  return query;
}

Result<store::HistoryQuery> QueryFor(store::History& reader, const Selection& selection) {
  if (selection.all_namespaces && !selection.of.name.empty()) {
    return Error{Code::kInvalid, "-A shows all autoscalers: give no name"};
  }
  ASSIGN_OR_RETURN(const auto since, ParseEnd("--since", selection.since, selection.zone));
  ASSIGN_OR_RETURN(const auto until, ParseEnd("--until", selection.until, selection.zone));
  ASSIGN_OR_RETURN(auto query, FindRecorded(reader, selection.of));
  query.since = since;
  query.until = until;
  return query;
}

}  // namespace ballast::cli
