#include "operator/net/request_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ballast::net {
namespace {

constexpr RequestReader::Limits kLimits{.header = 200, .body = 100};

struct Outcome {
  bool finished = false;
  Received received;
  std::string left;  // bytes not taken
};

// Offers the text in pieces of `size` bytes; bytes not taken are offered again with the next piece.
Outcome ReadInPieces(const std::string& text, std::size_t size) {
  RequestReader reader(kLimits);
  std::string pending;
  std::size_t at = 0;
  while (!reader.finished() && at < text.size()) {
    pending += text.substr(at, size);
    at += size;
    const std::size_t before = reader.body_size();
    const std::size_t taken = reader.Take(pending);
    EXPECT_LE(reader.body_size() - before, pending.size());
    pending.erase(0, taken);
    EXPECT_TRUE(reader.finished() || pending.size() < kLimits.header);
  }
  Outcome outcome{.finished = reader.finished(),
                  .left = pending + text.substr(std::min(at, text.size()))};
  if (outcome.finished) {
    outcome.received = reader.Finish();
  }
  return outcome;
}

// "GET /a?b=1 TYPE,ACCEPT 'BODY' kept", or the status of the refusal.
std::string Print(const Outcome& outcome) {
  if (!outcome.finished) {
    return "unfinished";
  }
  const Received& received = outcome.received;
  if (received.refusal) {
    return std::to_string(received.refusal->status) + (received.keep_alive ? " kept" : "");
  }
  const HttpRequest& request = *received.request;
  return request.method + " " + request.path + "?" + request.query + " " + request.content_type +
         "," + request.accept + " '" + request.body + "'" + (received.keep_alive ? " kept" : "") +
         (received.is_head ? " head" : "");
}

const std::string kChunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

struct Case {
  std::string text;
  std::string expected;
  std::string left = "";  // bytes of the next request
};

std::vector<Case> Cases() {
  const std::string post = "POST / HTTP/1.1\r\nContent-Length: ";
  return {
      {"GET /a?b=1 HTTP/1.1\r\nAccept: text/plain\r\n\r\n", "GET /a?b=1 ,text/plain '' kept"},
      {"HEAD / HTTP/1.1\r\n\r\n", "HEAD /? , '' kept head"},
      {"GET / HTTP/1.0\r\n\r\n", "GET /? , ''"},
      {"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "GET /? , ''"},
      {"BREW /pot HTTP/1.1\r\n\r\n", "BREW /pot? , '' kept"},
      {post + "3\r\nContent-Type: a/b\r\n\r\nabcGET /", "POST /? a/b, 'abc' kept", "GET /"},
      {post + "0\r\n\r\n", "POST /? , '' kept"},
      {post + "100\r\n\r\n" + std::string(100, 'x'),
       "POST /? , '" + std::string(100, 'x') + "' kept"},
      {kChunked + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\nrest",
       "POST /? , 'abcde' kept", "rest"},
      {post + "4\r\n\r\nabc", "unfinished"},
      {"GET / HTTP/1.1\r\nX: y\r\n", "unfinished"},
      {"", "unfinished"},
      {"garbage\r\n\r\n", "400"},
      {"GET / HTTP/9.9\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nno colon\r\n\r\n", "400"},
      {post + "-1\r\n\r\n", "400"},
      {post + "1\r\nContent-Length: 2\r\n\r\nab", "400"},
      {post + "3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
      {kChunked + "x\r\n", "400"},
      {kChunked + "1\r\nabcd\r\n", "400"},
      {post + "101\r\n\r\n", "413"},
      // What follows a body that is too long is read neither as body nor as fields.
      {post + "101\r\n\r\nX: y\r\n\r\n" + std::string(101, 'x'), "413"},
      {kChunked + "65\r\n", "413"},
      {kChunked + "64\r\n" + std::string(100, 'x') + "\r\n1\r\n", "413"},
      {"GET / HTTP/1.1\r\nX: " + std::string(200, 'x') + "\r\n\r\n", "431"},
      {"GET /" + std::string(200, 'x'), "431"},
      {kChunked + "1;" + std::string(200, 'x'), "431"},
      {kChunked + "0\r\nX: " + std::string(200, 'x'), "431"},
  };
}

TEST(RequestReader, TakesARequestHoweverItIsCut) {
  for (const Case& c : Cases()) {
    for (std::size_t size = 1; size <= c.text.size() + 1; ++size) {
      const Outcome outcome = ReadInPieces(c.text, size);
      ASSERT_EQ(Print(outcome), c.expected) << c.text << " in pieces of " << size;
      if (outcome.finished && outcome.received.request) {
        ASSERT_EQ(outcome.left, c.left) << c.text << " in pieces of " << size;
      }
    }
  }
}

}  // namespace
}  // namespace ballast::net
