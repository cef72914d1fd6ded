#include "operator/cli/options.h"

#include "api/autoscaling/types.h"
#include "store/sqlite/files.h"

namespace ballast::cli {

void AddStore(flags::Command& command, std::string& store) {
  store = store::kDefaultPath;
  command.AddOption("--store", store, "The operator's database, or a copy of it").ShowDefault();
}

void AddStores(flags::Command& command, std::vector<std::string>& stores) {
  stores = {store::kDefaultPath};
  command
      .AddOption("--store", stores,
                 "The operator's database, or a copy of it; of several, one of each replica, the "
                 "history is that of all")
      .OneValueEach()
      .ShowDefault(store::kDefaultPath);
}

void AddZone(flags::Command& command, Zone& zone) {
  command.AddFlag(
      "--utc", [&zone] { zone = Zone::kUtc; },
      "Read and show times in UTC instead of the local zone");
}

void AddAutoscalerChoice(flags::Command& command, AutoscalerChoice& choice) {
  command.AddOption("-n,--namespace", choice.namespace_, "Only autoscalers of that namespace");
  command.AddOption("--kind", choice.kind, "Only autoscalers of that kind")
      .StandsFor({{"asp", api::kPolicyKind},
                  {"autoscalepolicy", api::kPolicyKind},
                  {"horizontalpodautoscaler", api::kHpaKind},
                  {"hpa", api::kHpaKind},
                  {"policy", api::kPolicyKind}},
                 flags::Case::kIgnored)
      .ShowValues("asp|hpa");
}

void AddSelection(flags::Command& command, Selection& selection) {
  command.AddOption("NAME", selection.of.name,
                    "NAMESPACE/NAME of an autoscaler, or with -n NAME, asp/NAME or hpa/NAME; all "
                    "when absent");
  AddAutoscalerChoice(command, selection.of);
  command
      .AddFlag("-A,--all-namespaces", selection.all_namespaces,
               "Autoscalers of all namespaces; the default without -n")
      .Excludes("--namespace");
  AddStores(command, selection.stores);
  command.AddOption("--since", selection.since,
                    "Only what lasted until then or later: a time (2026-04-08T14:05:00Z, 14:05, "
                    "14:05+02:00) or a span before now (2h, 2d)");
  command.AddOption("--until", selection.until,
                    "Only what began by then: a time or a span, as for --since");
  AddZone(command, selection.zone);
}

void AddDocumentOutput(flags::Command& command, DocumentOutput& output) {
  AddOutput(command, output,
            {{"text", DocumentOutput::kText},
             {"json", DocumentOutput::kJson},
             {"yaml", DocumentOutput::kYaml}},
            "text by default");
}

void AddLimit(flags::Command& command, std::optional<std::int64_t>& limit,
              const std::string& by_default) {
  command
      .AddOption("--limit", limit,
                 "Only the newest decisions, that many; 0: all; default: " + by_default)
      .NotNegative()
      .ShowType("N");
}

void AddNoHeaders(flags::Command& command, bool& no_headers) {
  command.AddFlag("--no-headers", no_headers, "Without the line of column names");
}

void AddManifests(flags::Command& command, std::vector<std::string>& files) {
  files = {"-"};
  command
      .AddOption("-f,--filename,FILE", files,
                 "Files or folders with YAML, JSON or NDJSON; - is standard input, the default")
      .OneValueEach();
}

}  // namespace ballast::cli
