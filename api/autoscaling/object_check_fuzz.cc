// No manifest makes the check crash, and completing a completed object changes nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/autoscaling/object_check.h"
#include "api/json/yaml.h"

namespace {

void ExamineText(std::string_view text) {
  const auto document = ballast::json::Parse(text);
  if (!document.ok()) {
    return;
  }
  ballast::json::Decoder decoder(*document);
  const auto examination = ballast::api::CheckObject(decoder.root());
  if (!examination.valid()) {
    return;
  }
  const auto completed = ballast::json::Parse(examination.completed);
  if (!completed.ok()) {
    std::abort();
  }
  ballast::json::Decoder again(*completed);
  if (ballast::api::CheckObject(again.root()).completed != examination.completed) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ExamineText(text);
  if (const auto documents = ballast::YamlToJson(text); documents.ok()) {
    for (const std::string& document : *documents) {
      ExamineText(document);
    }
  }
  return 0;
}
