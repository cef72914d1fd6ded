#include "api/json/json_writer.h"
#include "operator/cli/commands.h"

#include <cstdint>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/feature_gates.h"
#include "api/autoscaling/gate_check.h"
#include "api/autoscaling/object_check.h"
#include "api/autoscaling/override.h"
#include "api/autoscaling/override_check.h"
#include "operator/cli/manifests/manifest.h"
#include "operator/cli/manifests/rule_check.h"
#include "operator/cli/options.h"
#include "operator/cli/print_document.h"
#include "operator/cli/terminal/terminal.h"
#include "operator/cli/terminal/times.h"

namespace ballast::cli {

namespace {

enum class Output { kText, kJson, kYaml, kNdjson };

constexpr Duration kUnlimited{std::numeric_limits<std::int64_t>::max()};

// All that is wrong.
api::FieldErrors AllOf(const api::ObjectCheck& examination) {
  api::FieldErrors all = examination.errors;
  all.Add(examination.further);
  return all;
}

// Writes one result as JSON; `label` writes the fields that identify the object.
template <typename Label>
void WriteVerdict(json::Writer& out, const api::ObjectCheck& examination, Label label) {
  out.Object([&] {
    label();
    out.Field("valid", examination.valid());
    out.Array("fields", [&] {
      for (const api::FieldError& error : examination.errors) {
        if (!error.field.empty()) {
          out.Value(error.field);
        }
      }
    });
    const api::FieldErrors all = AllOf(examination);
    out.Array("errors", [&] {
      for (const api::FieldError& error : all) {
        out.Object([&] {
          out.Field("field", error.field);
          out.Field("message", error.message);
        });
      }
    });
    if (const auto more = static_cast<std::int64_t>(all.more()); more > 0) {
      out.Field("moreErrors", more);
    }
    out.Array("warnings", [&] {
      for (const std::string& warning : examination.warnings) {
        out.Value(warning);
      }
    });
    if (!examination.completed.empty() && examination.valid()) {
      out.Key("defaulted");
      Encode(out, examination.autoscaler.spec);
    }
  });
}

// What objects are checked against.
struct Against {
  api::GateOverrides gates;
  RuleCheck rules;
};

// As if it were made now. How long one may last, the installation says.
api::ObjectCheck ExamineOverride(const json::Cursor& object) {
  const auto check = [&](Duration longest) {
    return api::CheckOverrideObject(object, api::UnknownFields::kRefused, longest, Now());
  };
  api::ObjectCheck examination;
  examination.errors = check(kUnlimited);
  if (examination.valid() && !check(api::kUsualLongestOverride).empty()) {
    examination.warnings.push_back(
        "spec.until: lasts for more than 7 days, which only some installations allow");
  }
  if (examination.valid() && object.Member("ended").present()) {
    examination.warnings.push_back(api::kMadeEnded);
  }
  return examination;
}

api::ObjectCheck Examine(const json::Cursor& object, const Against& against) {
  if (IsOverride(object)) {
    return ExamineOverride(object);
  }
  api::ObjectCheck examination = against.rules.Check(object);
  api::CheckGates(against.gates, examination);
  return examination;
}

api::ObjectCheck Unreadable(const Error& error) {
  api::ObjectCheck examination;
  examination.errors.Add("", error.message);
  return examination;
}

// Answers one line, an object or {"id", "object"}, with one line.
std::string AnswerLine(const std::string& line, const Against& against, bool& all_valid) {
  const auto document = json::Parse(line);
  json::Writer out;
  std::string id;
  api::ObjectCheck examination;
  if (document.ok()) {
    json::Decoder decoder(*document);
    const json::Cursor root = decoder.root();
    const bool wrapped = root.IsObject() && root.Member("object").present();
    if (wrapped && root.Member("id").present()) {
      id = root.Member("id").Print();
    }
    examination = Examine(wrapped ? root.Member("object") : root, against);
  } else {
    examination = Unreadable(document.error());
  }
  all_valid = all_valid && examination.valid();
  WriteVerdict(out, examination, [&] {
    if (!id.empty()) {
      out.Key("id");
      out.Raw(id);
    }
  });
  return out.Take();
}

// Answers each line as it arrives, starting with `line`.
ExitStatus AnswerLines(std::string line, const Against& against, std::istream& in) {
  bool all_valid = true;
  do {
    std::cout << AnswerLine(line, against, all_valid) << "\n";
  } while (std::getline(in, line));
  std::cout << std::flush;
  return all_valid ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

// Whether `line` is a complete object (NDJSON), rather than the start of YAML or multi-line JSON.
bool IsObjectALine(const std::string& line) {
  return line.starts_with('{') && line.find_first_not_of(" \t\r", 1) != std::string::npos;
}

void PrintText(const std::string& source, const std::string& name,
               const api::ObjectCheck& examination) {
  const std::string verdict = examination.valid() ? "valid" : "invalid";
  const Colour colour = !TerminalHasColour()           ? Colour::kNone
                        : !examination.valid()         ? Colour::kRed
                        : examination.warnings.empty() ? Colour::kGreen
                                                       : Colour::kYellow;
  std::cout << source << ": " << name << ": " << Paint(colour, verdict) << "\n";
  const api::FieldErrors all = AllOf(examination);
  for (const api::FieldError& error : all) {
    std::cout << "  error: " << Print(error) << "\n";
  }
  if (all.more() > 0) {
    std::cout << "  and " << all.more() << " more errors\n";
  }
  for (const std::string& warning : examination.warnings) {
    std::cout << "  warning: " << warning << "\n";
  }
}

// An object a line, or an array of them.
void PrintVerdicts(const std::vector<std::string>& verdicts, Output output) {
  std::string all;
  for (const std::string& verdict : verdicts) {
    const bool line = output == Output::kNdjson;
    all += (line ? "" : all.empty() ? "[\n" : ",\n") + verdict + (line ? "\n" : "");
  }
  if (output == Output::kJson || output == Output::kYaml) {
    all += all.empty() ? "[]" : "\n]";
    PrintDocument(all, output == Output::kJson ? DocumentOutput::kJson : DocumentOutput::kYaml);
  } else {
    std::cout << all;
  }
}

ExitStatus Report(const std::vector<Manifest>& manifests, Against& against, Output output) {
  against.rules.Learn(manifests);
  bool all_valid = true;
  std::size_t looked_at = 0;
  std::vector<std::string> verdicts;
  for (const Manifest& manifest : manifests) {
    std::string name = "not readable";
    api::ObjectCheck examination;
    if (manifest.document.ok()) {
      json::Decoder decoder(*manifest.document);
      name = Describe(decoder.root());
      if (!IsAutoscaler(decoder.root()) && !IsOverride(decoder.root())) {
        continue;
      }
      examination = Examine(decoder.root(), against);
    } else {
      examination = Unreadable(manifest.document.error());
    }
    ++looked_at;
    all_valid = all_valid && examination.valid();
    if (output == Output::kText) {
      PrintText(manifest.source, name, examination);
      continue;
    }
    json::Writer out;
    WriteVerdict(out, examination, [&] {
      out.Field("source", manifest.source);
      out.Field("name", name);
    });
    verdicts.push_back(out.Take());
  }
  PrintVerdicts(verdicts, output);
  if (looked_at == 0) {
    return Refuse("validate",
                  "no HorizontalPodAutoscaler, AutoScalePolicy or AutoScaleOverride in the input");
  }
  return all_valid ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

struct Options {
  std::vector<std::string> files;
  Output output = Output::kText;
  std::string feature_gates;
  Against against;
};

ExitStatus Run(Options& options) {
  const auto gates = api::ParseGateOverrides(options.feature_gates);
  if (!gates.ok()) {
    return Refuse("validate", "--feature-gates: " + gates.error().message);
  }
  options.against.gates = *gates;
  if (options.output == Output::kNdjson && options.files == std::vector<std::string>{"-"}) {
    std::string line;
    if (std::getline(std::cin, line) && IsObjectALine(line)) {
      return AnswerLines(std::move(line), options.against, std::cin);
    }
    const std::string rest(std::istreambuf_iterator<char>(std::cin), {});
    return Report(ManifestsOf(line + "\n" + rest), options.against, options.output);
  }
  const auto manifests = ReadManifests(options.files);
  return manifests.ok() ? Report(*manifests, options.against, options.output)
                        : Refuse("validate", manifests.error().message);
}

}  // namespace

void AddValidate(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "validate",
      "Check HorizontalPodAutoscalers, AutoScalePolicies and AutoScaleOverrides as the API server "
      "would");
  const auto options = std::make_shared<Options>();
  AddManifests(command, options->files);
  AddOutput(command, options->output,
            {{"text", Output::kText},
             {"json", Output::kJson},
             {"yaml", Output::kYaml},
             {"ndjson", Output::kNdjson}},
            "How verdicts are printed; text by default");
  command
      .AddOption("--feature-gates", options->feature_gates,
                 "The cluster's HPAScaleToZero and HPAConfigurableTolerance, as its API server "
                 "takes them; a gate that is not set leads to warnings")
      .Joined(',')
      .ShowType("GATE=true|false,...");
  options->against.rules.AddOption(command);
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
