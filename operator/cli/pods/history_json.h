// What one `ballast` asks another one about the history that the other one can read, and what it
// answers: a line of JSON each.
//
// The one that answers begins by saying which version of this language it speaks. Whatever is added
// leaves that number as it is: a member that the reader does not know is passed over, and one that
// it misses is as by default. So two programs of different age understand each other unless the
// numbers differ.
//
// Errors: kInvalid: the text is no such line; of ParseAnswer also the error that it says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "store/paged_history.h"

namespace ballast::cli {

inline constexpr std::int64_t kHistoryLanguage = 1;

// The first line of the one that answers.
struct HistoryGreeting {
  std::int64_t language = 0;
  std::string program;  // "ballast 0.1.0 (4dd0d53d)"
};
std::string Print(const HistoryGreeting& greeting);
Result<HistoryGreeting> ParseGreeting(std::string_view line);

// A call of PagedHistory, with those of these that are its parameters.
struct HistoryQuestion {
  std::string call;  // "look"; history_server.cc has them all
  store::HistoryQuery query = {};
  Time from = {};
  Time to = {};
  store::Place place = {};
  store::AutoscalerPlace autoscaler_place = {};
  std::int64_t count = 0;
  std::optional<store::Subject> subject = {};
};
std::string Print(const HistoryQuestion& question);
Result<HistoryQuestion> ParseQuestion(std::string_view line);

// `damaged`: what so far could not be told because it is damaged (History::damaged). T is what a
// call of PagedHistory returns.
template <typename T>
std::string PrintAnswer(const Result<T>& answer, std::int64_t damaged);
template <typename T>
Result<T> ParseAnswer(std::string_view line, std::int64_t& damaged);

}  // namespace ballast::cli
