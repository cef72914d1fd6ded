#include "operator/sources/source.h"

#include <future>
#include <memory>

namespace ballast::sources {

Result<engine::MetricAnswer> Await(MetricSource& source, const Query& query,
                                   const TargetPods& pods) {
  const auto told = std::make_shared<std::promise<PodsAnswer>>();
  source.Start(query, [told](PodsAnswer answer) { told->set_value(std::move(answer)); });
  return told->get_future().get()(pods);
}

}  // namespace ballast::sources
