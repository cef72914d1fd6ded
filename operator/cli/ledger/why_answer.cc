#include "operator/cli/ledger/why_answer.h"

#include <algorithm>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"
#include "api/base/human_duration.h"
#include "api/kubernetes/quantity.h"
#include "operator/cli/ledger/why_words.h"
#include "operator/engine/words.h"
#include "operator/explain/deleted.h"
#include "store/reasons.h"

namespace ballast::cli {
namespace {

using explain::Explanation;
using explain::Moment;
using store::Disposition;
using store::Entry;

constexpr const char* kUnread = "its replicas could not be read";

// "2026-04-08 14:05:00 UTC"
std::string Named(Zone zone, Time time) { return PrintIn(zone, time) + " " + NameOf(zone, time); }

// Why the replicas were to change. Null `why`: no inputs of this decision were kept.
std::string Cause(const Entry& entry, const Explanation* why, Zone zone) {
  return why == nullptr ? WhyChange(entry.message) : WhyChange(*why, zone);
}

// Why they were not.
std::string Stay(const Entry& entry, const Explanation* why, Zone zone) {
  const bool evaluated = why != nullptr && api::ModeOf(why->snapshot.autoscaler.spec).evaluates;
  return evaluated ? WhyStay(*why, zone) : WhyStay(entry.reason, entry.message);
}

// What an autoscaler that was refused is told, which names fields and kinds.
std::string Refusal(const Entry& entry) {
  return entry.made_by == store::MadeBy::kRefused && !entry.message.empty()
             ? " The record says: " + Clause(entry.message) + "."
             : "";
}

// Why the replicas of that moment are not known, in which case those on record are an earlier
// evaluation's; empty if they are.
std::string WhyNoCount(const Entry& entry, const Explanation* why) {
  if (why == nullptr) {
    return entry.reason == api::kFailedGetScale ? kUnread + (": " + Clause(entry.message)) : "";
  }
  const auto* failure = std::get_if<engine::Failure>(&why->snapshot.scale);
  return failure == nullptr ? "" : kUnread + (": " + Clause(failure->message));
}

// An HPA that another controller scales: what that one asked for, and what Ballast would have.
std::string AnswerForShadow(const Entry& entry, const Explanation* why, Zone zone) {
  if (const std::string unread = WhyNoCount(entry, why); !unread.empty()) {
    return entry.subject.key.Print() +
           ": what Ballast would do in its controller's place is not known: " + unread + ".";
  }
  const std::string ours = engine::Replicas(entry.desired_replicas);
  std::string text = entry.subject.key.Print() + " had " +
                     engine::Replicas(entry.current_replicas) +
                     "; in its controller's place, Ballast would have ";
  text += entry.changes() ? "scaled it to " + ours + ": " + Cause(entry, why, zone)
                          : "left it there: " + Stay(entry, why, zone);
  if (why == nullptr) {
    return text + ".";
  }
  const std::int32_t theirs = why->snapshot.autoscaler.status.desired_replicas;
  return text + ". Its controller asked for " +
         (theirs == entry.desired_replicas && !why->decision.ComputedNothing()
              ? "the same."
              : std::to_string(theirs) + ".");
}

std::string AnswerForStay(const Entry& entry, const Explanation* why, Zone zone) {
  const std::string who = entry.subject.key.Print();
  if (const std::string unread = WhyNoCount(entry, why); !unread.empty()) {
    return who + " was left as it was: " + unread + ".";
  }
  if (entry.made_by == store::MadeBy::kRefused && entry.reason == store::kOutOfDate) {
    return "Nothing was decided about " + who +
           ": what was known of it might be out of date, since " + Clause(entry.message) + ".";
  }
  return who + " stayed at " + engine::Replicas(entry.current_replicas) + ": " +
         Stay(entry, why, zone) + "." + Refusal(entry);
}

// Null `why`: no inputs of this decision were kept.
std::string Answer(const Entry& entry, const Explanation* why, Zone zone) {
  const std::string who = entry.subject.key.Print();
  const std::string change = " from " + std::to_string(entry.current_replicas) + " to " +
                             engine::Replicas(entry.desired_replicas);
  switch (entry.disposition) {
    case Disposition::kWritten:
      return who + " was scaled" + change + ": " + Cause(entry, why, zone) + ".";
    case Disposition::kFailed:
      return who + " stayed at " + engine::Replicas(entry.current_replicas) +
             ": it was to be scaled to " + std::to_string(entry.desired_replicas) +
             ", but that could not be written: " + Clause(entry.error) + ".";
    case Disposition::kIntended:
      return who + " was about to be scaled" + change + " (" + Cause(entry, why, zone) +
             "); how that ended is not recorded.";
    case Disposition::kUnknown:
      return who + " was to be scaled" + change +
             ", and whether that was written is not known: " + Clause(entry.error) + ".";
    case Disposition::kDryRun:
      if (entry.subject.kind == api::kHpaKind) {
        return AnswerForShadow(entry, why, zone);
      }
      if (entry.changes()) {
        return who + " stayed at " + engine::Replicas(entry.current_replicas) +
               ": its autoscaler only tells what it would do (a dry run), which was to scale it "
               "to " +
               std::to_string(entry.desired_replicas) + ": " + Cause(entry, why, zone) + ".";
      }
      break;
    case Disposition::kObserved:
      return who + " was scaled" + change + " by its own controller: " + Clause(entry.message) +
             ".";
    case Disposition::kNone:
      break;
  }
  return AnswerForStay(entry, why, zone);
}

// "spec.maxReplicas was changed from 10 to 20 (kubectl, 14:02:10)"
std::string Describe(const store::Edit& edit, Zone zone) {
  const std::string& before = edit.before;
  const std::string& after = edit.after;
  std::string text = edit.field;
  if (before.empty() && after.empty()) {
    text += edit.field == store::kWholeSpec ? " was edited while this operator did not watch it"
                                            : " were edited";
  } else if (before.empty()) {
    text += " was set to " + after;
  } else if (after.empty()) {
    text += " was removed (it was " + before + ")";
  } else {
    text += " was changed from " + before + " to " + after;
  }
  return text + " (" + (edit.manager.empty() ? "" : edit.manager + ", ") +
         PrintNamed(zone, edit.managed.value_or(edit.time), edit.time) + ")";
}

// "Before it, spec.maxReplicas was changed from 10 to 20 (kubectl, 14:02:10 UTC)." Names at most
// three of the edits; there must be one.
std::string DescribeEdits(const std::vector<store::EditEntry>& edits, Zone zone) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(edits.size(), kMost); ++i) {
    text += (text.empty() ? "Before it, " : "; ") + Describe(edits[i].edit, zone);
  }
  return text + (edits.size() > kMost ? "; and more." : ".");
}

// Names the edits that the decision is the first one with, unless the answer is about a later
// evaluation.
std::string AfterWhichEdits(const Moment& moment, Zone zone) {
  return moment.edits.empty() || moment.IsAboutALaterReason()
             ? ""
             : " " + DescribeEdits(moment.edits, zone);
}

// Says which evaluation the answer is about (the one whose inputs were kept), and what the
// evaluation at the moment in question measured.
std::string AboutWhich(const Moment& moment, Zone zone) {
  if (!moment.HasItsInputs()) {
    return "";
  }
  const Entry& told = *moment.inputs_of;
  const auto& point = moment.point;
  const std::string when = PrintNamed(zone, told.time, moment.at);
  std::string text;
  if (moment.IsAboutALaterReason()) {
    text = " Reasons took turns; this is about " + when +
           ", the first evaluation for the reason of that moment.";
  }
  if (!moment.recorded || !point || point->time <= told.time || point->readings.empty()) {
    return text;
  }
  return (text.empty() ? " So it was decided at " + when + "; at " : text + " At ") +
         PrintNamed(zone, point->time, moment.at) + " it came to the same with " +
         DescribeReadings(*point) + ".";
}

std::string AnswerGap(const Moment& moment, Zone zone) {
  const explain::Gap& gap = *moment.gap;
  return "Nothing is recorded of " + moment.key.Print() + " " +
         (moment.next
              ? "between " + Named(zone, gap.from) + " and " + PrintNamed(zone, gap.to, gap.from)
              : "since " + Named(zone, gap.from)) +
         ": " + gap.cause + ".";
}

// "48%" for Utilization, else the quantity; "no answer" if the metric failed.
std::string Figure(const store::Reading& reading) {
  if (!reading.milli) {
    return "no answer";
  }
  const std::string figure = Quantity::FromMilli(*reading.milli).Print();
  return reading.target == "Utilization" ? figure + "%" : figure;
}

}  // namespace

std::string AnswerAbout(const Moment& moment, Zone zone) {
  if (!moment.decided) {
    return "Nothing is recorded of " + moment.key.Print() + " before " +
           (moment.next ? Named(zone, moment.next->time) : "now") + "." +
           (moment.deleted_until ? " What was evaluated in its namespace before " +
                                       Named(zone, *moment.deleted_until) + " was deleted (" +
                                       explain::kRetentionFlags + ")."
                                 : "");
  }
  const Entry& decided = *moment.decided;
  const std::string preface =
      moment.gap ? AnswerGap(moment, zone) + " The last decision before: " : "";
  if (moment.HadAnotherReason()) {
    const std::string& reason = moment.point->reason;
    return preface + moment.key.Print() +
           (reason == api::kFailedGetScale
                ? std::string(" was left as it was: ") + kUnread
                : " stayed at " + engine::Replicas(decided.current_replicas) + ": " +
                      WhyStay(reason, "a reason of which no inputs were kept")) +
           ". Reasons took turns; what follows is about the first evaluation.";
  }
  return preface +
         (moment.HasItsInputs() ? Answer(*moment.inputs_of, &*moment.inputs, zone)
                                : Answer(decided, nullptr, zone)) +
         AfterWhichEdits(moment, zone) + AboutWhich(moment, zone);
}

std::string DescribeReadings(const store::SeriesPoint& point) {
  std::string text;
  for (const store::Reading& reading : point.readings) {
    text += (text.empty() ? "" : "; ") + reading.metric + " at " + Figure(reading);
    if (reading.sampled) {
      text += ", " + HumanAge(point.time - *reading.sampled);
    }
  }
  return text;
}

}  // namespace ballast::cli
