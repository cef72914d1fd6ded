// Reads an answer by one of Beast's parsers. Include it only in sources that precompile Beast.
//
// It keeps only what the parser has not taken yet, which is less than one piece: a header, or the
// beginning of a chunk.
//
// Thread-safety: none; everything runs on the wire's executor.
// Errors: out parameters: Beast's and the wire's.
#pragma once

#include <string>
#include <string_view>

#include "operator/kube/http/wire.h"
#include "operator/net/beast.h"

namespace ballast::kube {

template <typename Parser>
class AnswerParser {
 public:
  using ErrorCode = boost::system::error_code;

  explicit AnswerParser(Parser& parser) : parser_(parser) {}

  // Takes what has arrived. Calls `on_piece` after each piece of the answer.
  template <typename OnPiece>
  void Take(Wire& wire, ErrorCode& problem, const OnPiece& on_piece) {
    char bytes[kTaken];
    const std::size_t size = wire.Take(bytes, sizeof bytes, problem);
    if (problem == boost::asio::error::eof) {
      End(problem);
    } else if (!problem && size > 0) {
      Feed({bytes, size}, problem, on_piece);
    }
  }

  // Reads until the answer's end.
  boost::asio::awaitable<void> ReadAll(Wire& wire, ErrorCode& problem) {
    while (!parser_.is_done() && !problem) {
      co_await wire.AwaitInput(problem);
      if (!problem) {
        Take(wire, problem, [] {});
      }
    }
  }

  // Whether there is more than the answer.
  bool has_rest() const { return !rest_.empty(); }

 private:
  static constexpr std::size_t kTaken = 16 * 1024;  // as much as a TLS record has

  template <typename OnPiece>
  void Feed(std::string_view bytes, ErrorCode& problem, const OnPiece& on_piece) {
    std::string joined;
    if (!rest_.empty()) {
      joined = std::move(rest_);
      joined += bytes;
      bytes = joined;
    }
    while (!parser_.is_done() && !bytes.empty() && !problem) {
      bytes.remove_prefix(
          parser_.put(boost::asio::const_buffer(bytes.data(), bytes.size()), problem));
      if (!problem || problem == boost::beast::http::error::need_buffer) {
        problem = {};
        on_piece();
      }
    }
    if (problem == boost::beast::http::error::need_more) {
      problem = {};
    }
    rest_ = std::string(bytes);
  }

  // The server has ended the connection.
  void End(ErrorCode& problem) {
    problem = {};
    if (parser_.got_some()) {
      parser_.put_eof(problem);
    } else {
      problem = boost::beast::http::error::end_of_stream;
    }
  }

  Parser& parser_;
  std::string rest_;
};

}  // namespace ballast::kube
