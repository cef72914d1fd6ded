#include "operator/kube/transport.h"

namespace ballast::kube {

const char* Name(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
  }
  return "?";
}

}  // namespace ballast::kube
