// What a server answered to a unary call, whatever its status.
//
// Thread-safety: a plain value.
#pragma once

#include <string>

namespace ballast::kube {

struct Answer {
  int status = 0;
  std::string body;
  std::string retry_after;  // header
  std::string warning;      // header
  std::string audit_id;     // header
};

}  // namespace ballast::kube
