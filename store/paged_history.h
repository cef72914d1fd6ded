// A history that is read page by page: each page is of bounded size, and says where the next one
// begins, so that nothing has to be kept between two of them. So can be read what a file has, also
// in another process, and several at a time.
//
// Thread-safety: as History.
// Errors: as History.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/history.h"

namespace ballast::store {

struct EntryPage {
  std::vector<Entry> entries;  // all that began after those of the page before, until `until`
  Time until;
  std::optional<Place> next;  // absent: there is no other page
};

// A place in what goes autoscaler by autoscaler; by default before everything.
struct AutoscalerPlace {
  api::ObjectKey key;
  std::string uid;
  Place place;
};

struct Evaluation {
  Subject subject;
  SeriesPoint point;
};

// Of what ForEach or ForEachEvaluation visits.
template <typename Item>
struct PageOf {
  std::vector<Item> items;
  std::optional<AutoscalerPlace> next;  // for the history that made it; absent: no other page
};
using DecisionPage = PageOf<FullEntry>;
using EvaluationPage = PageOf<Evaluation>;

class PagedHistory : public History {
 public:
  // The first page, or the one at the `next` of the page before, of what ForEachPart, ForEach and
  // ForEachEvaluation visit.
  virtual Result<EntryPage> ReadEntryPage(const HistoryQuery& query, const Place& from) = 0;
  virtual Result<DecisionPage> ReadDecisionPage(const HistoryQuery& query,
                                                const AutoscalerPlace& from) = 0;
  virtual Result<EvaluationPage> ReadEvaluationPage(const HistoryQuery& query,
                                                    const AutoscalerPlace& from) = 0;

  Status ForEachPart(const HistoryQuery& query, const Place& from, const VisitPart& visit) final;
  Status ForEach(const HistoryQuery& query, const Visit& visit) final;
  Status ForEachEvaluation(const HistoryQuery& query, const VisitEvaluation& visit) final;
};

}  // namespace ballast::store
