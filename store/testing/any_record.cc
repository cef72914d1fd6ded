#include "store/testing/any_record.h"

#include <string>

#include "store/testing/test_store.h"

namespace ballast::store::testing {

Record AnyRecord(const LedgerState& state, std::mt19937& random, double seconds) {
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  const std::string name(1, static_cast<char>('a' + below(4)));
  switch (below(14)) {
    case 0: {
      Intended intended{EvaluationOf(name, seconds, 5, 6)};
      intended.evaluation.generation = below(3);
      return intended;
    }
    case 1:
    case 2: {
      const engine::Outcome outcome{static_cast<engine::Outcome::Kind>(below(4)), ""};
      return Concluded{state.newest(), outcome, At(seconds), Recommended({{At(seconds), 6}}),
                       nullptr};
    }
    case 3:
      return Resolved{state.newest(), kWritten, At(seconds)};
    case 4:
      return Refused{EvaluationOf(name, seconds, 5, 5, "Conflicted")};
    case 5:
      if (below(4) == 0) {
        return Forgotten{"uid-" + name};
      }
      return PodsReady{"uid-" + name, At(seconds)};
    case 6: {
      Observed observed{EvaluationOf(name, seconds - below(3) * 100, 5, 5 + below(2)),
                        Recommended({})};
      observed.evaluation.seen = At(seconds);
      return observed;
    }
    case 7:
      switch (below(3)) {
        case 0:
          return SpecSeen{EvaluationOf(name, seconds, 5, 5).subject, std::to_string(below(3))};
        case 1:
          return TimePassed{At(seconds), Duration::Seconds(below(60))};
        default:
          break;
      }
      return EditSeen{EvaluationOf(name, seconds, 5, 5).subject,
                      {At(seconds), "spec.maxReplicas", "10", "20", "kubectl", {}}};
    default: {
      const std::string reason = below(3) == 0 ? "B" : "A";
      Evaluated evaluated{EvaluationOf(name, seconds, 5, 5, reason),
                          Recommended({{At(seconds), 5}, {At(seconds - below(60)), 7}}), nullptr};
      evaluated.evaluation.incomplete = below(10) == 0;
      return evaluated;
    }
  }
}

}  // namespace ballast::store::testing
