// Treats the input as the bytes of a connection: every request is answered or refused, within the
// limits. Cut into pieces of a size that the first byte chooses, the same bytes get the same
// answers up to a refusal (a line that is both malformed and too long is refused for what is seen
// first).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "operator/net/request_reader.h"
#include "webhooks/http/review_endpoint.h"
#include "webhooks/testing/test_review.h"

using namespace ballast;

namespace {

constexpr net::RequestReader::Limits kLimits{.header = 512, .body = 4096};

void Require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

struct Answer {
  net::HttpResponse response;
  bool refused = false;  // before the endpoint was called
};

net::HttpResponse Ask(const net::HttpRequest& request) {
  static webhooks::FakeLookup lookup({.target = webhooks::Facts::TargetState::kMissing});
  Require(request.body.size() <= kLimits.body);
  net::HttpResponse answer = webhooks::AnswerRequest(request, {lookup});
  Require(answer.status == 200 || answer.status == 400 || answer.status == 404 ||
          answer.status == 405);
  return answer;
}

// The answers on one connection, which ends with a refusal or when keep-alive does.
std::vector<Answer> Converse(std::string_view bytes, std::size_t piece) {
  std::vector<Answer> answers;
  std::string pending;
  bool keep_alive = true;
  while (keep_alive) {
    net::RequestReader reader(kLimits);
    pending.erase(0, reader.Take(pending));
    while (!reader.finished() && !bytes.empty()) {
      const std::size_t size = std::min(piece, bytes.size());
      pending += bytes.substr(0, size);
      bytes.remove_prefix(size);
      pending.erase(0, reader.Take(pending));
      Require(reader.finished() || pending.size() < kLimits.header);
    }
    if (!reader.finished()) {
      return answers;
    }
    const net::Received received = reader.Finish();
    Require(received.request.has_value() != received.refusal.has_value());
    answers.push_back(received.refusal ? Answer{*received.refusal, true}
                                       : Answer{Ask(*received.request)});
    keep_alive = received.keep_alive;
  }
  return answers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = Converse(bytes, size);
  const auto cut = Converse(bytes, 1 + data[0] % 64);
  const auto refused = [](const std::vector<Answer>& answers, std::size_t i) {
    return i < answers.size() && answers[i].refused;
  };
  for (std::size_t i = 0; i < std::max(whole.size(), cut.size()); ++i) {
    if (refused(whole, i) || refused(cut, i)) {
      return 0;
    }
    Require(i < whole.size() && i < cut.size());
    Require(whole[i].response.status == cut[i].response.status &&
            whole[i].response.body == cut[i].response.body);
  }
  return 0;
}
