// Answers snapshots with decisions, line by line, carrying the memory of each series along.
//
// Thread-safety: none; one thread at a time. Failure modes: a line that is no snapshot is answered
// with {"error": "..."}, and with its id where it has one; the others do not notice.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "api/json/json.h"

namespace ballast::explain {

class DecisionStream {
 public:
  explicit DecisionStream(engine::Tracing tracing) : tracing_(tracing) {}

  // The answer to one line, without a newline.
  std::string Answer(std::string_view line);

  // Whether some line was no snapshot.
  bool found_wrong() const { return found_wrong_; }

 private:
  // What the last snapshot of a series leaves to the next.
  struct Series {
    engine::Memory memory;
    Time evaluated;
  };

  std::string Refuse(std::string_view id, const Error& error);
  void Resume(engine::Snapshot& snapshot) const;

  engine::Tracing tracing_;
  bool found_wrong_ = false;
  std::unordered_map<std::string, Series> series_;
  json::Writer out_;
};

}  // namespace ballast::explain
