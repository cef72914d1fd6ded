// Reading any text as a pod does not crash, and a pod that was read, printed and read again is the
// same. JSON that is one object or array splits into pieces that are JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/json/json_split.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/pod_reader.h"

namespace {

using ballast::json::Parse;

void Require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string Print(const ballast::api::Pod& pod) {
  ballast::json::Writer out;
  Encode(out, pod);
  return out.Take();
}

void CheckPieces(std::string_view text) {
  const auto members = ballast::json::SplitObject(text);
  const auto elements = ballast::json::SplitArray(text);
  Require(!members.ok() || !elements.ok());
  const auto document = Parse(text);
  if (!document.ok()) {
    return;
  }
  ballast::json::Decoder decoder(*document);
  Require(decoder.root().IsObject() == members.ok() && decoder.root().IsArray() == elements.ok());
  if (members.ok()) {
    for (const auto& [name, value] : *members) {
      Require(Parse(value).ok());
    }
  }
  if (elements.ok()) {
    for (const std::string_view element : *elements) {
      Require(Parse(element).ok());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckPieces(text);
  if (const auto pod = ballast::api::ReadPod(text); pod.ok()) {
    const std::string printed = Print(*pod);
    const auto again = ballast::api::ReadPod(printed);
    Require(again.ok() && Print(*again) == printed);
  }
  return 0;
}
