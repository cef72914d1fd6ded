#include "operator/kube/transport.h"

#include <utility>

namespace ballast::kube {
namespace {

class EndedStream final : public BegunStream {
 public:
  explicit EndedStream(Status end) : end_(std::move(end)) {}
  std::optional<Status> End() override { return end_; }

 private:
  const Status end_;
};

}  // namespace

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

std::unique_ptr<BegunStream> Transport::Begin(const Request& request, const LineSink& sink,
                                              std::stop_token stop, const std::function<void()>&) {
  return std::make_unique<EndedStream>(Stream(request, sink, std::move(stop)));
}

}  // namespace ballast::kube
