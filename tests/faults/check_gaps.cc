// The gaps of the invariant "answer": why nothing was evaluated, and for how long.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/faults/answer_words.h"
#include "tests/faults/check_answers.h"

namespace ballast::faults {
namespace {

constexpr const char* kDown = "no operator was running with this store";
constexpr const char* kGuess = "or it cannot write to it, or still waits for answers";
constexpr Nanoseconds kWaits = 60 * kSecond;  // for answers that do not come, and two periods

}  // namespace

void Answers::CheckGap(const Answer& answer) {
  if (!answer.moment.gap) {
    return;
  }
  const explain::Gap& gap = *answer.moment.gap;
  const auto& seen = seen_[answer.disk];
  const Nanoseconds from = gap.from.unix_nanoseconds() - kRead;
  const Nanoseconds to = gap.to.unix_nanoseconds() + kRead;
  bool led = false;
  bool other_led = false;
  Span span{kNever, 0};
  for (const Seen& then : seen) {
    if (then.wall < from || then.wall > to) {
      continue;
    }
    span = {std::min(span.from, then.at), std::max(span.until, then.at)};
    led |= then.running && then.holder == then.identity;
    other_led |= Has(gap.cause, ("another replica led: " + then.holder + ";").c_str());
  }
  // Some lead for less than the time between two looks.
  other_led |= std::ranges::any_of(leaders_, [&](const auto& leader) {
    return leader.first >= span.from - kRead && leader.first <= span.until + kRead &&
           Has(gap.cause, ("another replica led: " + leader.second + ";").c_str());
  });
  CheckDowntime(answer, span);
  if (Has(gap.cause, "another replica led") && !other_led) {
    Fail(answer, "that one did not lead");
  }
  if (Has(gap.cause, "evaluated late") && !led) {
    Fail(answer, "it did not lead");
  }
  if (RoughAfter(gap.cause, "the evaluation before it took ").span >
      checks_.Lateness() + 60 * kSecond) {
    Fail(answer, "nothing takes so long");
  }
  if (Has(gap.cause, "not served")) {
    Fail(answer, "all namespaces were served");
  }
  std::vector<std::string> uids;
  for (const Version& version : state_[answer.index].versions) {
    if (!version.uid.empty() && version.from <= span.until + kRead &&
        (uids.empty() || uids.back() != version.uid)) {
      uids.push_back(version.uid);
    }
  }
  if (Has(gap.cause, "deleted and created again") && uids.size() < 2) {
    Fail(answer, "it was not");
  }
}

// "No operator was running with this store", "... for 4s of it": no process ran for so long. What a
// process did that could write nothing is not known.
void Answers::CheckDowntime(const Answer& answer, Span gap) {
  const std::string& cause = answer.moment.gap->cause;
  const bool is_guess = Has(cause, kGuess);
  if (!Has(cause, kDown) || swarm_.Has(Fault::kFailingDisk) ||
      (is_guess && swarm_.Has(Fault::kSlowDisk))) {
    return;
  }
  // At least, since the next evaluation was due, and at most: it may have gone and come between two
  // looks.
  const Nanoseconds due = answer.moment.decided->known_until().unix_nanoseconds();
  const Nanoseconds to = answer.moment.gap->to.unix_nanoseconds();
  if (is_guess && to - due < kWaits) {
    return;
  }
  Nanoseconds surely = 0;
  Nanoseconds maybe = 0;
  // While another replica leads, nobody misses the process.
  const bool other_led = Has(cause, "another replica led");
  bool was_leader = false;
  const auto& seen = seen_[answer.disk];
  for (std::size_t i = 1; i < seen.size(); ++i) {
    const Seen& before = seen[i - 1];
    const Seen& then = seen[i];
    was_leader = before.running ? before.holder == before.identity : was_leader;
    if (then.at < gap.from || before.at > gap.until) {
      continue;
    }
    const Nanoseconds passed = then.at - before.at;
    if (std::abs(then.wall - before.wall - passed) > kSecond) {
      return;  // the clock by which it is told was set
    }
    const bool is_down = !before.running && !then.running;
    const bool cannot_write = is_guess && (before.stopped || then.stopped);
    const bool counts = was_leader && !other_led && before.wall >= due && then.wall <= to;
    surely += is_down && counts ? passed : 0;
    maybe += is_down || cannot_write || before.running != then.running ||
                     before.identity != then.identity
                 ? passed
                 : 0;
  }
  if (maybe == 0) {
    return Fail(answer, "it ran all the time");
  }
  const Duration period = std::max(answer.moment.decided->period, Duration::Seconds(15));
  const bool is_part = Has(cause, (std::string(kDown) + " for ").c_str());
  const Rounded told = is_part ? RoughAfter(cause, std::string(kDown) + " for ")
                               : Rounded{to - due - 2 * period.nanoseconds, 2 * period.nanoseconds};
  // The last evaluation, from which on it counts, was a while before the end of the process.
  if (told.span > maybe + ViewAge()) {
    Fail(answer, "it did not run for " + std::to_string(maybe / kSecond) + " s at most");
  }
  if (told.span + told.error + kRead < surely) {
    Fail(answer, "it did not run for " + std::to_string(surely / kSecond) + " s at least");
  }
}

}  // namespace ballast::faults
