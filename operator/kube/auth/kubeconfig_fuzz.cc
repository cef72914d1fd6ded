// No kubeconfig makes the reader crash, alone or merged with another, and each error names its
// file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "operator/kube/auth/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const ballast::kube::KubeconfigText first{"/first", text.substr(0, cut)};
  const ballast::kube::KubeconfigText second{"/second", text.substr(cut)};
  for (const auto& files : {std::vector{first}, std::vector{first, second}}) {
    const auto config = DecodeKubeconfig(files);
    if (config.ok() ? config->server.empty()
                    : config.error().message.find("/first") == std::string::npos &&
                          config.error().message.find("/second") == std::string::npos) {
      std::abort();
    }
  }
  return 0;
}
