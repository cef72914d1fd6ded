#include "operator/controllers/live_reader.h"

#include <exception>

#include "operator/kube/resource.h"

namespace ballast::controllers {

void LiveReader::Start(const session::FetchMetrics& request, Done done) {
  GoOn(std::make_shared<LiveReading>(LiveReading{{request, nullptr}, std::move(done)}));
}

void LiveReader::GoOn(const ReadingPointer& reading) {
  session::MetricsAnswer& so_far = reading->answer;
  const session::FetchMetrics& request = so_far.request;
  const api::Autoscaler& autoscaler = *request.autoscaler;
  if (so_far.defect) {
    reading->done(std::move(so_far));
  } else if (request.stored && !so_far.stored) {
    Submit(
        autoscaler_pools_, autoscaler.api_version, reading,
        [this](session::MetricsAnswer& answer) {
          answer.stored = reads_.stored(*answer.request.autoscaler);
          return answer.stored->ok();
        },
        [](session::MetricsAnswer& answer, const Error& why) { answer.stored = why; });
  } else if (request.scale && !reading->gathered) {
    SourceDecorator::Start(request, [this, reading](session::MetricsAnswer read) {
      reading->gathered = true;
      reading->answer.fetched = std::move(read.fetched);
      reading->answer.defect = std::move(read.defect);
      GoOn(reading);
    });
  } else if (request.live != nullptr && !so_far.live) {
    Submit(
        target_pools_, request.live->spec.scale_target_ref.api_version, reading,
        [this](session::MetricsAnswer& answer) {
          answer.live = reads_.live(*answer.request.live);
          return answer.live->scale.ok();
        },
        [this](session::MetricsAnswer& answer, const Error& why) {
          answer.live = {clock_.Steady(), why, why};
        });
  } else if (request.managed && !so_far.managed) {
    Submit(
        target_pools_, autoscaler.spec.scale_target_ref.api_version, reading,
        [this](session::MetricsAnswer& answer) {
          answer.managed = reads_.managed(*answer.request.autoscaler);
          return answer.managed->ok();
        },
        [](session::MetricsAnswer& answer, const Error& why) { answer.managed = why; });
  } else {
    reading->done(std::move(so_far));
  }
}

void LiveReader::Submit(Pools& pools, const std::string& api_version, const ReadingPointer& reading,
                        std::function<bool(session::MetricsAnswer&)> read,
                        std::function<void(session::MetricsAnswer&, const Error& why)> miss) {
  pools.Of(kube::GroupOf(api_version))
      .Submit(
          reading->answer.request.autoscaler->metadata.namespace_,
          [this, reading, read = std::move(read)] {
            bool served = false;
            try {
              served = read(reading->answer);
            } catch (...) {
              reading->answer.defect = std::current_exception();
            }
            GoOn(reading);
            return served;
          },
          [this, reading, miss = std::move(miss)] {
            miss(reading->answer, sources::TooSlow("the API server"));
            GoOn(reading);
          });
}

}  // namespace ballast::controllers
