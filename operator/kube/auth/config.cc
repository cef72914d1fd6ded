#include "operator/kube/auth/config.h"

#include <utility>

#include "operator/os/file.h"

namespace ballast::kube {

Result<std::string> Material::Read() const {
  if (file.empty()) {
    return text;
  }
  return os::ReadFile(file);
}

}  // namespace ballast::kube
