#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/object_check.h"
#include "api/autoscaling/rewrite.h"
#include "api/autoscaling/schema.h"
#include "api/autoscaling/types.h"
#include "operator/calendar/time_zone.h"
#include "operator/cli/commands.h"
#include "operator/cli/manifests/manifest.h"
#include "operator/cli/manifests/object_printer.h"
#include "operator/cli/manifests/policy_of.h"
#include "operator/cli/options.h"

namespace ballast::cli {

namespace {

// Policies go to standard output, and whatever is not in them to standard error.
class Converter {
 public:
  Converter(std::optional<Syntax> syntax, const std::string& prometheus_source)
      : syntax_(syntax), prometheus_source_(prometheus_source) {}

  void Convert(const Manifest& manifest) {
    source_ = manifest.source;
    if (!manifest.document.ok()) {
      Lose(manifest.document.error().message);
      return;
    }
    json::Decoder decoder(*manifest.document);
    const json::Cursor object = decoder.root();
    source_ += ": " + Describe(object);
    const std::string_view version = object.IsObject() ? object.Member("apiVersion").Text() : "";
    const std::string_view kind = object.IsObject() ? object.Member("kind").Text() : "";
    if (version.starts_with("keda.sh/") && kind == "ScaledObject") {
      autoscalers_ = true;
      Print(PolicyOfScaledObject(object, prometheus_source_), decoder, manifest.syntax);
    } else if (version.starts_with("ballast.dev/") && kind == api::kPolicyKind) {
      Note("is a policy already; left out");
    } else if (version.starts_with("keda") || version.starts_with("http.keda.sh/")) {
      Lose("has no counterpart: of KEDA, ScaledObjects of keda.sh/v1alpha1 are converted");
    } else if (!IsAutoscaler(object)) {
      Note("is no autoscaler; left out");
    } else {
      ConvertHpa(object, decoder, manifest.syntax);
    }
  }

  // Whether everything was converted and nothing lost.
  bool whole() const { return whole_; }
  // Whether there was anything to convert.
  bool found() const { return autoscalers_ || !whole_; }

 private:
  void Note(const std::string& text) { std::cerr << source_ << ": " << text << "\n"; }
  void Lose(const std::string& text) {
    whole_ = false;
    Note(text);
  }
  // False if there are errors; `what` has them.
  bool Check(const std::string& what, const api::FieldErrors& errors) {
    for (const api::FieldError& error : errors) {
      Lose(what + ": " + api::Print(error));
    }
    if (errors.more() > 0) {
      Note("and " + std::to_string(errors.more()) + " more errors");
    }
    return errors.empty();
  }

  // A field that is not known, because the server is newer or it is misspelled, is a loss.
  void ConvertHpa(const json::Cursor& object, const json::Decoder& decoder, Syntax syntax) {
    const api::ObjectCheck strict = api::CheckObject(object);
    const bool understood = strict.errors.empty();
    if (!understood && !api::CheckObject(object, api::UnknownFields::kIgnored).errors.empty()) {
      Check("is not valid", strict.errors);
      return;
    }
    Check("is not in the policy", strict.errors);
    autoscalers_ = true;
    Print(PolicyOfHpa(object), decoder, syntax);
  }

  void Print(const ConvertedPolicy& converted, const json::Decoder& decoder, Syntax syntax) {
    if (const Status shape = decoder.status(); !shape.ok()) {
      Lose("is not valid: " + shape.error().message);
      return;
    }
    for (const Loss& loss : converted.losses) {
      Lose((loss.field.empty() ? "" : loss.field + ": ") + loss.why);
    }
    if (converted.policy.empty()) {
      return;
    }
    const json::Document made = json::Parse(converted.policy).value();
    const json::Document policy =
        json::Parse(
            api::Rewrite(json::Decoder(made).root(), api::PolicySchema(), api::Unknown::kKept))
            .value();
    json::Decoder policy_decoder(policy);
    const api::ObjectCheck check =
        api::CheckObject(policy_decoder.root(), api::UnknownFields::kRefused, api::PolicySchema(),
                         calendar::kZoneCheck);
    if (Check("its policy would not be valid", check.errors)) {
      printer_.Print(policy_decoder.root(), syntax_.value_or(syntax));
    }
  }

  const std::optional<Syntax> syntax_;
  const std::string prometheus_source_;
  std::string source_;  // "web.yaml[2]: ScaledObject shop/web"
  bool whole_ = true;
  bool autoscalers_ = false;
  ObjectPrinter printer_;
};

struct Options {
  std::vector<std::string> files;
  std::optional<Syntax> syntax;
  std::string prometheus_source;
};

ExitStatus Run(const Options& options) {
  const auto manifests = ReadManifests(options.files);
  if (!manifests.ok()) {
    return Refuse("convert", manifests.error().message);
  }
  Converter converter(options.syntax, options.prometheus_source);
  for (const Manifest& manifest : *manifests) {
    converter.Convert(manifest);
  }
  if (!converter.found()) {
    return Refuse("convert", "no HorizontalPodAutoscaler or ScaledObject in the input");
  }
  return converter.whole() ? ExitStatus::kDone : ExitStatus::kFoundWrong;
}

}  // namespace

void AddConvert(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "convert", "Print AutoScalePolicies made of HorizontalPodAutoscalers and KEDA ScaledObjects");
  const auto options = std::make_shared<Options>();
  AddManifests(command, options->files);
  AddOutput(command, options->syntax, {{"yaml", Syntax::kYaml}, {"json", Syntax::kJson}},
            "How policies are printed; by default as the objects came in");
  command.AddOption("--prometheus-source", options->prometheus_source,
                    "The installation's source that gets the queries of KEDA's triggers of type "
                    "prometheus; without it they are listed");
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
