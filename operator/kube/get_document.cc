#include "operator/kube/get_document.h"

namespace ballast::kube {

Result<json::Document> GetDocument(Transport& transport, const std::string& path,
                                   process::SteadyTime deadline) {
  ASSIGN_OR_RETURN(const Response response, transport.Do({.path = path, .deadline = deadline}));
  auto document = ParseAnswer(response.body, kOneObject);
  if (!document.ok()) {
    return Error{Code::kCorrupt, path + ": " + document.error().message};
  }
  return document;
}

}  // namespace ballast::kube
