#include "operator/kube/server_version.h"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "api/kubernetes/label_syntax.h"
#include "operator/kube/get_document.h"

namespace ballast::kube {
namespace {

constexpr const char* kPath = "/version";

// The number at the beginning: managed clouds append a plus sign to the minor version.
std::optional<int> LeadingNumber(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<ServerVersion> ReadServerVersion(Transport& transport) {
  ASSIGN_OR_RETURN(const json::Document document, GetDocument(transport, kPath));
  json::Decoder decoder(document);
  std::string major;
  std::string minor;
  decoder.root().Required("major").Read(major);
  decoder.root().Required("minor").Read(minor);
  std::string text = "v" + major + "." + minor;
  decoder.root().Member("gitVersion").Read(text);
  // A server may behave as an earlier version than its program's, for an upgrade in steps.
  decoder.root().Member("emulationMinor").Read(minor);
  if (const Status status = decoder.status(); !status.ok()) {
    return Error{Code::kCorrupt, std::string(kPath) + ": " + status.error().message};
  }
  const std::optional<int> number = LeadingNumber(minor);
  if (LeadingNumber(major) != 1 || !number) {
    return Error{Code::kCorrupt, std::string(kPath) + ": major " + api::Quote(major) + ", minor " +
                                     api::Quote(minor) + " is no Kubernetes 1.x"};
  }
  return ServerVersion{*number, std::move(text)};
}

}  // namespace ballast::kube
