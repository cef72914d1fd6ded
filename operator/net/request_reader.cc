#include "operator/net/request_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/optional/optional.hpp>
#include <string>
#include <utility>

namespace ballast::net {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;

// A body that grows as it arrives. Beast's own reserves what the client announces.
struct GrowingBody {
  using value_type = std::string;

  class BodyReader {
   public:
    template <bool kIsRequest, typename Fields>
    BodyReader(http::header<kIsRequest, Fields>&, std::string& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, error_code& problem) { problem = {}; }
    std::size_t put(const boost::asio::const_buffer& piece, error_code& problem) {
      problem = {};
      body_.append(static_cast<const char*>(piece.data()), piece.size());
      return piece.size();
    }
    void finish(error_code& problem) { problem = {}; }

   private:
    std::string& body_;
  };
  using reader = BodyReader;
};

HttpResponse RefusalOf(const error_code& problem) {
  if (problem == http::error::header_limit) {
    return Refuse(431, "the header is too long");
  }
  if (problem == http::error::body_limit) {
    return Refuse(413, "the body is too long");
  }
  return Refuse(400, problem.message());
}

std::string ToString(beast::string_view text) { return {text.data(), text.size()}; }

HttpRequest Describe(http::request<GrowingBody> message) {
  HttpRequest request;
  request.method = ToString(message.method_string());
  const std::string target = ToString(message.target());
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  request.query = question == std::string::npos ? "" : target.substr(question + 1);
  request.content_type = ToString(message[http::field::content_type]);
  request.accept = ToString(message[http::field::accept]);
  request.body = std::move(message.body());
  return request;
}

}  // namespace

struct RequestReader::RequestState {
  const Limits limits;
  http::request_parser<GrowingBody> parser;
  error_code problem;
};

RequestReader::RequestReader(const Limits& limits) : state_(new RequestState{.limits = limits}) {
  state_->parser.eager(true);  // header and body in one Take(), as far as they have arrived
  state_->parser.header_limit(limits.header);
  state_->parser.body_limit(limits.body);
}

RequestReader::~RequestReader() = default;

std::size_t RequestReader::Take(std::string_view bytes) {
  error_code problem;
  const std::size_t taken =
      state_->parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), problem);
  if (problem == http::error::need_more) {
    problem =
        bytes.size() - taken < state_->limits.header ? error_code() : http::error::header_limit;
  }
  state_->problem = problem;
  return taken;
}

bool RequestReader::finished() const { return state_->problem || state_->parser.is_done(); }

std::size_t RequestReader::body_size() const { return state_->parser.get().body().size(); }

Received RequestReader::Finish() {
  if (state_->problem) {
    return {.refusal = RefusalOf(state_->problem)};
  }
  const bool keep_alive = state_->parser.keep_alive();
  auto message = state_->parser.release();
  const bool is_head = message.method() == http::verb::head;
  return {.request = Describe(std::move(message)), .keep_alive = keep_alive, .is_head = is_head};
}

}  // namespace ballast::net
