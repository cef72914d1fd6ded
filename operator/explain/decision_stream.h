// Answers snapshots with decisions, one JSON value a line, and carries the memory of each series
// (`series` in the snapshot) from one snapshot to the next.
//
// Thread-safety: none; one thread at a time.
// Errors: a line that is not a snapshot is answered with {"error": "..."}, and with its id if it
// has one; later lines are not affected.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/decision/snapshot.h"
#include "api/json/json_writer.h"

namespace ballast::explain {

class DecisionStream {
 public:
  explicit DecisionStream(engine::Tracing tracing) : tracing_(tracing) {}

  // The answer to one line, without the trailing newline.
  std::string Answer(std::string_view line);

  // Whether any line so far was not a snapshot.
  bool found_wrong() const { return found_wrong_; }

 private:
  // What the latest snapshot of a series passes on to the next.
  struct SeriesState {
    engine::Memory memory;
    Time evaluated;
  };

  std::string Refuse(std::string_view id, const Error& error);
  void Resume(engine::Snapshot& snapshot) const;

  engine::Tracing tracing_;
  bool found_wrong_ = false;
  std::unordered_map<std::string, SeriesState> series_;
  json::Writer out_;
};

}  // namespace ballast::explain
