// The HPAs of the invariant "answer" that another controller scales: what that one is said to have
// done, and to have asked for.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/faults/answer_words.h"
#include "tests/faults/check_answers.h"
#include "tests/faults/hpa_controller.h"

namespace ballast::faults {

// Whether there were so many, or the HPA's status, which is all that is observed, said so.
bool Answers::WasTold(std::size_t index, const std::vector<Span>& spans, std::int64_t count) const {
  return HadCount(index, spans, ViewAge(), [&](std::int64_t had) { return had == count; }) ||
         WasSo(index, spans, [&](const Version& version) {
           return version.current == count || version.desired == count;
         });
}

// The time of what is observed is that of the status, by a clock that is right, or that of the
// observation.
std::vector<Answers::Span> Answers::Observed(std::vector<Span> spans, Time time) {
  const Nanoseconds stated = time.unix_nanoseconds() - Machine().Wall(0);
  spans.push_back({stated, stated});
  return spans;
}

void Answers::CheckObserved(const Answer& answer) {
  const std::string& said = answer.sentence;
  if (!loads_[answer.index].hpa || answer.explained.empty()) {
    return;
  }
  if (const auto stayed = NumberAfter(said, " stayed at ");
      stayed && !WasTold(answer.index, answer.explained, *stayed)) {
    return Fail(answer, "it did not have " + std::to_string(*stayed));
  }
  const auto from = NumberAfter(said, " was scaled from ");
  if (!from) {
    return;
  }
  const std::vector<Span> scaled = Observed(answer.explained, answer.moment.decided->time);
  // Several scalings whose statuses were not seen are told as what they came to.
  const auto to = NumberAfter(said, " was scaled from " + std::to_string(*from) + " to ");
  if (!HadCount(answer.index, scaled, Fibers::Get().now(),
                [&](std::int64_t count) { return count == *from; }) ||
      !WasTold(answer.index, scaled, *to)) {
    return Fail(answer, "it did not have as many");
  }
  // By a clock that is behind, a scaling is no older than its observation, however late that is.
  const bool late = swarm_.Has(Fault::kClockSteps);
  const Nanoseconds apart = kRead + (swarm_.Has(Fault::kClockDrift) ? 200 * kSecond : 0);
  if (std::ranges::none_of(scaled, [&](Span span) {
        return std::ranges::any_of(state_[answer.index].changes, [&](const Change& change) {
          return change.write.by == kRival && change.write.to == to &&
                 (late || change.at >= span.from - apart - ViewAge()) &&
                 change.at <= span.until + apart;
        });
      })) {
    Fail(answer, "its controller did not");
  }
}

// "Its controller asked for 4."
void Answers::CheckShadow(const Answer& answer) {
  const auto asked = NumberAfter(answer.sentence, "Its controller asked for ");
  if (!asked) {
    return;
  }
  const std::int64_t count = Has(answer.sentence, "Its controller asked for the same")
                                 ? answer.moment.inputs_of->desired_replicas
                                 : *asked;
  if (!WasSo(answer, [&](const Version& version) { return version.desired == count; })) {
    Fail(answer, "it did not ask for " + std::to_string(count));
  }
}

}  // namespace ballast::faults
