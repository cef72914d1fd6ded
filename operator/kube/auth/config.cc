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

bool Impersonation::complete() const {
  return !user.empty() || (uid.empty() && groups.empty() && extra.empty());
}

void Override(const KubeconfigChoice& choice, Impersonation& impersonate) {
  if (!choice.as.empty()) {
    impersonate.user = choice.as;
  }
  if (!choice.as_uid.empty()) {
    impersonate.uid = choice.as_uid;
  }
  if (!choice.as_groups.empty()) {
    impersonate.groups = choice.as_groups;
  }
}

}  // namespace ballast::kube
