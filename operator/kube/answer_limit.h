// How large the answers of servers may be that are read whole, for each kind in one place. An
// answer takes some five times its text in memory while it is read, and up to a dozen are read at a
// time.
//
// Errors: as below.
#pragma once

#include <cstddef>
#include <string_view>

#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast::kube {

struct AnswerLimit {
  std::size_t bytes;   // of the body
  std::size_t values;  // values and names in its JSON, as json::ParseAtMost counts them
  // What somebody can do whose answer is larger; a part of a sentence. Empty: nothing is known.
  std::string_view remedy = "";
};

// One object, or a description of what a server serves. (An API server stores 1.5 MiB at most.)
inline constexpr AnswerLimit kOneObject{8 << 20, 1'000'000};

// A page of a list, or a list of a server that does not make pages.
inline constexpr AnswerLimit kOnePage{64 << 20, 4'000'000};

// A list of more pages is one that repeats itself.
inline constexpr int kMostPages = 10'000;

// The Status of a call that failed. Of what is larger only the beginning is shown.
inline constexpr AnswerLimit kFailure{256 << 10, 10'000};

// The values of a custom or an external metric: of some 13,000 pods or series.
inline constexpr AnswerLimit kMetricValues{
    4 << 20, 250'000,
    "let a selector of the metric choose fewer series, or the adapter add them up"};

// A list of resource metrics with all its pages: of some 20,000 pods.
inline constexpr AnswerLimit kPodMetrics{
    16 << 20, 1'000'000, "lists of fewer pods are smaller: --pod-metrics-list=selector"};

// The result of a query of Prometheus; a source may have another limit of bytes.
inline constexpr AnswerLimit kQueryResult{1 << 20, 200'000,
                                          "let the query aggregate its result, as with sum(...)"};

// kCorrupt: "the answer is larger than 1024 bytes; <remedy>".
Error TooLarge(const AnswerLimit& limit);

// kCorrupt: "the list did not end after 10000 pages".
Error TooManyPages();

// kCorrupt: it has too many values: "the answer has more than 1000 values and names; <remedy>".
// kInvalid: as json::Parse.
Result<json::Document> ParseAnswer(std::string_view body, const AnswerLimit& limit);

}  // namespace ballast::kube
