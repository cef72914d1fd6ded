#include "operator/cli/commands.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/decision/engine_version.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/cli/ledger/decision_source.h"
#include "operator/cli/ledger/exported_decision.h"
#include "operator/cli/ledger/history_print.h"
#include "operator/cli/manifests/manifest.h"
#include "operator/cli/manifests/stored_autoscaler.h"
#include "operator/cli/options.h"
#include "operator/cli/print_document.h"
#include "operator/cli/selection.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/table.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/explain/recorded_decision.h"
#include "operator/explain/replay_check.h"
#include "operator/explain/replay_policy.h"

namespace ballast::cli {
namespace {

struct Options {
  DecisionSource source;
  std::vector<std::string> changed;
  bool no_headers = false;
  bool colour = false;
  DocumentOutput output = DocumentOutput::kText;
};

struct Counts {
  std::int64_t recorded = 0;
  std::int64_t run = 0;      // decisions whose inputs were kept
  std::int64_t damaged = 0;  // of these, what no engine can read

  // What is damaged is passed over; any other error is one.
  Status Skip(const Error& error) {
    damaged += error.code == Code::kCorrupt ? 1 : 0;
    return error.code == Code::kCorrupt ? Status(Done{}) : Status(error);
  }
};

// Says what was damaged.
ExitStatus TellWhole(const DecisionsRead& read, const Counts& counts) {
  const ExitStatus status = TellDamaged(read.damaged + counts.damaged);
  return read.whole ? status : ExitStatus::kFoundWrong;
}

// What was found, as far as it is shown: the last of it, so that memory is bounded however much
// differs.
template <typename T>
struct LastOf {
  static constexpr std::size_t kMostShown = 1'000;
  std::deque<T> last;
  std::int64_t count = 0;

  void Add(T one) {
    ++count;
    last.push_back(std::move(one));
    if (last.size() > kMostShown) {
      last.pop_front();
    }
  }
  std::int64_t left_out() const { return count - static_cast<std::int64_t>(last.size()); }
  // Says what is not shown; empty: nothing.
  std::string DescribeLeftOut() const {
    return left_out() == 0
               ? ""
               : "the last " + std::to_string(last.size()) + " of " + std::to_string(count) +
                     ": --since, --until or a name shows the others\n";
  }
};

// ---- The present engine

struct Deviation {
  store::Entry entry;
  std::vector<explain::Difference> differences;
};

// Where this engine's result differs from the recorded one. From its own version that is a defect;
// another version may decide differently.
struct Deviations {
  LastOf<Deviation> own;
  LastOf<Deviation> other;  // of another version
};

// The heading of a column of times.
std::string TimeHeading(const store::Entry& newest, Zone zone) {
  return "TIME (" + NameOf(zone, newest.time) + ")";
}

std::string DeviationsText(const std::string& title, const LastOf<Deviation>& deviations,
                           const Options& options) {
  if (deviations.count == 0) {
    return "";
  }
  const Zone zone = options.source.selected.zone;
  const store::Entry& newest = deviations.last.back().entry;
  std::vector<Row> rows;
  if (!options.no_headers) {
    rows.push_back({TimeHeading(newest, zone), "AUTOSCALER", "DECISION", "ENGINE", "FIELD",
                    "RECORDED", "NOW"});
  }
  for (const auto& [entry, differences] : deviations.last) {
    for (const explain::Difference& difference : differences) {
      rows.push_back({PrintUnder(zone, entry.time, newest.time), OneLine(entry.subject.key.Print()),
                      OneLine(IdOf(entry)), std::to_string(entry.engine), difference.field,
                      OneLine(difference.recorded), OneLine(difference.present)});
    }
  }
  return title + "\n" + Align(rows) + deviations.DescribeLeftOut() + "\n";
}

// The number that the array lacks, if any, is the member "<name>LeftOut".
void WriteDeviations(json::Writer& out, const std::string& name,
                     const LastOf<Deviation>& deviations) {
  out.Array(name, [&] {
    for (const Deviation& deviation : deviations.last) {
      out.Object([&] {
        WriteSummary(out, deviation.entry);
        out.Array("differences", [&] {
          for (const explain::Difference& difference : deviation.differences) {
            out.Object([&] {
              out.Field("field", difference.field);
              out.Key("recorded");
              out.Raw(difference.recorded);
              out.Key("now");
              out.Raw(difference.present);
            });
          }
        });
      });
    }
  });
  if (deviations.left_out() > 0) {
    out.Field(name + "LeftOut", deviations.left_out());
  }
}

std::string DeviationsJson(const Deviations& deviations, const Counts& counts) {
  json::Writer out;
  out.Object([&] {
    out.Field("engineVersion", engine::kEngineVersion);
    out.Field("recorded", counts.recorded);
    out.Field("run", counts.run);
    WriteDeviations(out, "differing", deviations.own);
    WriteDeviations(out, "differingFromOtherVersions", deviations.other);
  });
  return out.Take();
}

std::string RunOf(const Counts& counts) {
  return std::to_string(counts.run) + " of " + std::to_string(counts.recorded) +
         " decisions were kept with their inputs and run again";
}

std::string Tell(const Deviations& deviations, const Counts& counts, const Options& options) {
  const Colour wrong = options.colour ? Colour::kRed : Colour::kNone;
  const Colour right = options.colour ? Colour::kGreen : Colour::kNone;
  const std::string version = std::to_string(engine::kEngineVersion);
  std::string text =
      DeviationsText(Paint(wrong, "Wrong: this engine's own version (" + version + ") recorded"),
                     deviations.own, options) +
      DeviationsText("Decided by other versions of the engine than this one (" + version + ")",
                     deviations.other, options) +
      RunOf(counts) + ": ";
  if (deviations.own.count == 0 && deviations.other.count == 0) {
    return text + Paint(right, "all came out as recorded.") + "\n";
  }
  return text + std::to_string(deviations.own.count) + " came out differently, and " +
         std::to_string(deviations.other.count) + " of other versions.\n";
}

Result<ExitStatus> ReplayEngine(const Options& options) {
  Counts counts;
  Deviations deviations;
  const auto run = [&](const store::Entry& entry, const store::Documents& documents) -> Status {
    ++counts.recorded;
    if (documents.snapshot.empty()) {
      return Done{};
    }
    ++counts.run;
    auto differences = explain::Compare(entry, documents);
    if (!differences.ok()) {
      return counts.Skip(differences.error());
    }
    if (!differences->empty()) {
      auto& found = entry.engine == engine::kEngineVersion ? deviations.own : deviations.other;
      found.Add({entry, *std::move(differences)});
    }
    return Done{};
  };
  ASSIGN_OR_RETURN(
      const DecisionsRead read,
      ForEachDecision(options.source, "replay", [&](const store::FullEntry& decision) -> Status {
        TRY(run(decision.entry, decision.documents));
        for (const store::ReasonEntry& reason : decision.reasons) {
          TRY(run(EntryOf(decision.entry, reason), reason.documents));
        }
        return Done{};
      }));
  if (options.output == DocumentOutput::kText) {
    std::cout << Tell(deviations, counts, options);
  } else {
    PrintDocument(DeviationsJson(deviations, counts), options.output);
  }
  const ExitStatus whole = TellWhole(read, counts);
  return deviations.own.count == 0 ? whole : ExitStatus::kFoundWrong;
}

// ---- A changed policy

constexpr const char* kAssumption =
    "Replicas and load at each decision are as recorded; a changed policy would have changed both. "
    "What it would have recommended is carried on from decision to decision.";

// The autoscalers in the files, or the first problem of any of them.
Result<std::vector<api::Autoscaler>> ReadPolicies(const std::vector<std::string>& files) {
  ASSIGN_OR_RETURN(const auto manifests, ReadManifests(files));
  std::vector<api::Autoscaler> policies;
  for (const Manifest& manifest : manifests) {
    if (!manifest.document.ok()) {
      return manifest.document.error().In(manifest.source);
    }
    json::Decoder decoder(*manifest.document);
    if (!IsAutoscaler(decoder.root())) {
      continue;
    }
    ASSIGN_OR_RETURN(api::Autoscaler policy, AsStored(manifest.source, decoder.root()));
    policies.push_back(std::move(policy));
  }
  if (policies.empty()) {
    return Error{Code::kInvalid, "-f: there is no AutoScalePolicy and no HorizontalPodAutoscaler"};
  }
  return policies;
}

// The policy to use for a recorded autoscaler: if the user named the autoscaler and gave one
// policy, that one; else the policy of the same name (and namespace, if it has one).
const api::Autoscaler* StandIn(const std::vector<api::Autoscaler>& policies,
                               const api::ObjectKey& key, bool named) {
  if (named && policies.size() == 1) {
    return &policies.front();
  }
  for (const api::Autoscaler& policy : policies) {
    if (policy.metadata.name == key.name &&
        (policy.metadata.namespace_.empty() || policy.metadata.namespace_ == key.namespace_)) {
      return &policy;
    }
  }
  return nullptr;
}

struct ChangedDecision {
  store::Entry entry;
  std::int32_t replicas = 0;
  std::string why;
};

std::string Reason(const engine::Decision& decision) {
  if (!decision.rescale_reason.empty()) {
    return decision.rescale_reason;
  }
  if (decision.problem) {
    return decision.problem->reason + ": " + decision.problem->message;
  }
  const engine::Step* binding = engine::BindingStep(decision.trace);
  return binding != nullptr ? binding->text : "the metrics ask for just as many";
}

std::string ChangesText(const LastOf<ChangedDecision>& changes, const Options& options) {
  if (changes.count == 0) {
    return "";
  }
  const Zone zone = options.source.selected.zone;
  const Colour differs = options.colour ? Colour::kYellow : Colour::kNone;
  const store::Entry& newest = changes.last.back().entry;
  std::vector<Row> rows;
  if (!options.no_headers) {
    rows.push_back(
        {TimeHeading(newest, zone), "AUTOSCALER", "REPLICAS", "RECORDED", "CHANGED", "WHY"});
  }
  for (const ChangedDecision& change : changes.last) {
    const store::Entry& entry = change.entry;
    rows.push_back({PrintUnder(zone, entry.time, newest.time), OneLine(entry.subject.key.Print()),
                    std::to_string(entry.current_replicas), std::to_string(entry.desired_replicas),
                    Paint(differs, std::to_string(change.replicas)), OneLine(change.why)});
  }
  return Align(rows) + changes.DescribeLeftOut() + "\n";
}

std::string ChangesJson(const LastOf<ChangedDecision>& changes, const Counts& counts,
                        const std::vector<std::string>& unmeasured) {
  json::Writer out;
  out.Object([&] {
    out.Field("recorded", counts.recorded);
    out.Field("run", counts.run);
    out.Field("assumption", kAssumption);
    out.Array("unmeasured", [&] {
      for (const std::string& metric : unmeasured) {
        out.Value(metric);
      }
    });
    out.Array("differing", [&] {
      for (const ChangedDecision& change : changes.last) {
        out.Object([&] {
          WriteSummary(out, change.entry);
          out.Field("changedReplicas", change.replicas);
          out.Field("changedReason", change.why);
        });
      }
    });
    if (changes.left_out() > 0) {
      out.Field("differingLeftOut", changes.left_out());
    }
  });
  return out.Take();
}

Result<ExitStatus> ReplayChanged(const Options& options) {
  ASSIGN_OR_RETURN(const auto policies, ReadPolicies(options.changed));
  const bool named = !options.source.selected.of.name.empty();
  Counts counts;
  LastOf<ChangedDecision> changes;
  std::map<std::string, explain::ChangedPolicy> stand_ins;  // by the recorded autoscaler's uid
  const auto run = [&](const store::FullEntry& decision) -> Status {
    const auto& [entry, documents, reasons] = decision;
    const auto* policy = StandIn(policies, entry.subject.key, named);
    if (policy == nullptr) {
      return Done{};
    }
    ++counts.recorded;
    if (documents.snapshot.empty()) {
      return Done{};
    }
    ++counts.run;
    auto& changed = stand_ins.try_emplace(entry.subject.uid, *policy).first->second;
    const auto now = changed.Decide(entry, documents);
    if (!now.ok()) {
      return counts.Skip(now.error());
    }
    if (!explain::Agrees(*now, entry)) {
      changes.Add({entry, explain::Wish(*now, entry), Reason(*now)});
    }
    return Done{};
  };
  ASSIGN_OR_RETURN(const DecisionsRead read, ForEachDecision(options.source, "replay", run));
  if (counts.recorded == 0) {
    return Error{Code::kNotFound,
                 "nothing is recorded of an autoscaler that -f names; name one to apply it to"};
  }
  std::vector<std::string> unmeasured;
  for (const auto& [uid, changed] : stand_ins) {
    unmeasured.insert(unmeasured.end(), changed.unmeasured().begin(), changed.unmeasured().end());
  }
  const ExitStatus whole = TellWhole(read, counts);
  if (options.output != DocumentOutput::kText) {
    PrintDocument(ChangesJson(changes, counts, unmeasured), options.output);
    return whole;
  }
  std::cout << ChangesText(changes, options) << RunOf(counts) << ": " << changes.count
            << " would have come out differently.\n";
  for (const std::string& metric : unmeasured) {
    std::cout << metric << " was not measured then; it counts as failed.\n";
  }
  std::cout << kAssumption << "\n";
  return whole;
}

ExitStatus Run(const Options& options) {
  const auto status = options.changed.empty() ? ReplayEngine(options) : ReplayChanged(options);
  if (!status.ok()) {
    return Refuse("replay", status.error().message);
  }
  return *status;
}

}  // namespace

void AddReplay(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "replay",
      "Run the recorded inputs again: through this engine, or under a changed policy (asks the "
      "operator's pods, or reads its store)");
  const auto options = std::make_shared<Options>();
  AddDecisionSource(command, options->source);
  command
      .AddOption("-f,--filename", options->changed,
                 "Changed policies: what they would have decided instead. They apply to the "
                 "autoscalers of the same name, a single one to NAME")
      .OneValueEach();
  AddNoHeaders(command, options->no_headers);
  AddDocumentOutput(command, options->output);
  command.OnRun([&command, options, &status] {
    DecisionSource& source = options->source;
    source.of_files = ReadsFiles(command, source.pods);
    options->colour = TerminalHasColour();
    status = Run(*options);
  });
}

}  // namespace ballast::cli
