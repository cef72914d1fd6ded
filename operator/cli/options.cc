#include "operator/cli/options.h"

#include <map>

#include "api/autoscaling/types.h"
#include "store/sqlite/files.h"

namespace ballast::cli {

void AddStore(CLI::App& command, std::string& store) {
  command.add_option("--store", store, "The operator's database, or a copy of it")
      ->default_val(store::kDefaultPath);
}

void AddZone(CLI::App& command, Zone& zone) {
  command.add_flag_callback(
      "--utc", [&zone] { zone = Zone::kUtc; },
      "Read and show times in UTC instead of the local zone");
}

void AddAutoscalerChoice(CLI::App& command, AutoscalerChoice& choice) {
  const std::map<std::string, std::string> names = {{"autoscalepolicy", api::kPolicyKind},
                                                    {"asp", api::kPolicyKind},
                                                    {"policy", api::kPolicyKind},
                                                    {"horizontalpodautoscaler", api::kHpaKind},
                                                    {"hpa", api::kHpaKind}};
  command.add_option("-n,--namespace", choice.namespace_, "Only autoscalers of that namespace");
  command.add_option("--kind", choice.kind, "Only autoscalers of that kind")
      ->transform(CLI::CheckedTransformer(names, CLI::ignore_case))
      ->option_text("asp|hpa");
}

void AddSelection(CLI::App& command, Selection& selection) {
  command.add_option("NAME", selection.of.name,
                     "NAMESPACE/NAME of an autoscaler, or with -n NAME, asp/NAME or hpa/NAME; all "
                     "when absent");
  AddAutoscalerChoice(command, selection.of);
  command
      .add_flag("-A,--all-namespaces", selection.all_namespaces,
                "Those of all namespaces, as without -n")
      ->excludes("--namespace");
  AddStore(command, selection.store);
  command.add_option("--since", selection.since,
                     "Not what ended before: a time (2026-04-08T14:05:00Z, 14:05, 14:05+02:00) or "
                     "a span before now (2h)");
  command.add_option("--until", selection.until, "Not what began after: as --since");
  AddZone(command, selection.zone);
}

void AddNoHeaders(CLI::App& command, bool& no_headers) {
  command.add_flag("--no-headers", no_headers, "Without the line of column names");
}

void AddManifests(CLI::App& command, std::vector<std::string>& files) {
  files = {"-"};
  command
      .add_option("-f,--filename,FILE", files,
                  "Files or folders with YAML, JSON or NDJSON; - is standard input, the default")
      ->allow_extra_args(false);
}

}  // namespace ballast::cli
