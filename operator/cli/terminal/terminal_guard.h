// Lets a terminal have only what is to be read, and colours. What a pod, an API server or a ledger
// has said may be printed exactly (as JSON, say), and could otherwise move the cursor, rename the
// window or hide what is above it. In a pipe every byte stays as it is.
//
// Thread-safety: main thread only.
// Errors: the stream's own.
#pragma once

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>

namespace ballast::cli {

// Passes text on to `to`, at the end of each line and when it is flushed, without the characters
// that terminals obey (printable.h) except for colours as Paint (terminal.h) has them.
class GuardedBuffer : public std::streambuf {
 public:
  explicit GuardedBuffer(std::streambuf& to) : to_(to) {}

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool Pass(std::size_t size);  // the first bytes of what waits

  std::streambuf& to_;
  std::string waiting_;
};

// While it lives, what is written to the stream is guarded, if the file that the stream writes to
// is a terminal.
class TerminalGuard {
 public:
  TerminalGuard(std::ostream& stream, int file);
  ~TerminalGuard();
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* const before_;
  GuardedBuffer buffer_;
};

}  // namespace ballast::cli
