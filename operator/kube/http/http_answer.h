// A server's answer to a unary call, whatever its status.
#pragma once

#include <string>

namespace ballast::kube {

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::string retry_after;  // header
  std::string warning;      // header
  std::string audit_id;     // header
};

}  // namespace ballast::kube
