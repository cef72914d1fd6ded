#include "webhooks/json_patch.h"

#include "api/json/json_writer.h"

namespace ballast::webhooks {

std::string PatchOf(const std::vector<api::MissingDefault>& missing) {
  if (missing.empty()) {
    return {};
  }
  json::Writer out;
  out.Array([&] {
    for (const api::MissingDefault& one : missing) {
      out.Object([&] {
        out.Field("op", one.replaces ? "replace" : "add");
        out.Field("path", one.path);
        out.Key("value");
        out.Raw(one.json);
      });
    }
  });
  return out.Take();
}

}  // namespace ballast::webhooks
