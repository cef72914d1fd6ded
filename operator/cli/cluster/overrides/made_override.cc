#include "operator/cli/cluster/overrides/made_override.h"

#include <chrono>
#include <thread>
#include <utility>

#include "operator/cli/cluster/callers_cluster.h"
#include "operator/cli/cluster/overrides/open_holds.h"
#include "operator/cli/cluster/overrides/override_request.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/times.h"
#include "operator/cluster/overrides.h"

namespace ballast::cli {
namespace {

// Three seconds in all.
constexpr int kReads = 16;
constexpr std::chrono::milliseconds kPause{200};

bool MayMeet(const api::AutoScaleOverride& made, const api::AutoScaleOverride& other) {
  return other.metadata.uid != made.metadata.uid && other.spec.kind == made.spec.kind &&
         other.spec.type() == made.spec.type() && other.start() < made.spec.until &&
         made.start() < other.spec.until;
}

OverrideVerdict VerdictOf(const api::AutoScaleOverride& override) {
  const std::string& phase = override.status.phase;
  const std::string& message = override.status.message;
  const bool active = phase == cluster::kPhaseActive;
  if (phase == cluster::kPhasePending || (active && message.empty())) {
    return {};
  }
  const std::string why = active ? message : message.empty() ? phase : phase + ": " + message;
  // It has another effect than it asks for, or others may get such labels.
  const bool some = (active && !message.starts_with(cluster::kWithoutEffect)) ||
                    (override.spec.selector && phase != cluster::kPhaseInvalid);
  return some ? OverrideVerdict{.problem = "", .warning = OneLine(why)}
              : OverrideVerdict{.problem = OneLine(why), .warning = ""};
}

// Reads it again and again until it is as wanted; absent: it was not in time.
Result<std::optional<api::AutoScaleOverride>> ReadUntil(kube::Transport& transport,
                                                        const api::ObjectKey& key,
                                                        const std::function<void()>& pause,
                                                        const auto& is_wanted) {
  for (int i = 0; i < kReads; ++i) {
    if (i > 0) {
      pause();
    }
    ASSIGN_OR_RETURN(api::AutoScaleOverride read, ReadOverride(transport, key));
    if (is_wanted(read)) {
      return std::optional(std::move(read));
    }
  }
  return std::optional<api::AutoScaleOverride>();
}

void Sleep() { std::this_thread::sleep_for(kPause); }

}  // namespace

std::vector<std::string> TellReplaced(kube::Transport& transport, const OverrideTarget* target,
                                      const api::AutoScaleOverride& made, Time now) {
  std::vector<std::string> told;
  const auto all = ListOverrides(transport, made.metadata.namespace_);
  for (std::size_t i = 0; all.ok() && i < all->size(); ++i) {
    const api::AutoScaleOverride& other = (*all)[i];
    if (HasEnded(other, now) || !MayMeet(made, other) ||
        (target != nullptr && !MayBeAbout(other, *target))) {
      continue;
    }
    const bool certain = target != nullptr && (!other.spec.selector || target->metadata);
    told.push_back(other.metadata.name + ", " + Describe(other.spec, other.status.owner) +
                   ", does not count while this one does" +
                   (certain ? "" : ", where both are about the same autoscaler") +
                   (made.spec.until < other.spec.until ? ", and counts again after it" : ""));
  }
  return told;
}

OverrideVerdict AwaitVerdict(kube::Transport& transport, const api::AutoScaleOverride& made,
                             const std::function<void()>& pause) {
  const auto read = ReadUntil(transport, made.key(), pause,
                              [](const auto& one) { return !one.status.phase.empty(); });
  if (!read.ok()) {
    return {};
  }
  if (*read) {
    return VerdictOf(**read);
  }
  return {.problem = "",
          .warning =
              "no operator has looked at it yet; whether it counts shows: ballast overrides "
              "-n " +
              made.metadata.namespace_};
}

ExitStatus TellOfMade(const std::string& subcommand, kube::Transport& transport,
                      const OverrideTarget* target, const api::AutoScaleOverride& made) {
  for (const std::string& other : TellReplaced(transport, target, made, Now())) {
    PrintWarning(other);
  }
  const OverrideVerdict verdict = AwaitVerdict(transport, made, Sleep);
  if (!verdict.warning.empty()) {
    PrintWarning(made.metadata.name + ": " + verdict.warning);
  }
  return verdict.problem.empty()
             ? ExitStatus::kDone
             : Fail(subcommand, made.metadata.name + " is made, but " + verdict.problem);
}

std::string AwaitEnd(kube::Transport& transport, const api::AutoScaleOverride& ended,
                     const std::function<void()>& pause) {
  const auto read = ReadUntil(transport, ended.key(), pause,
                              [](const auto& one) { return one.status.ended.has_value(); });
  return !read.ok() || *read
             ? ""
             : "no operator has seen yet that it is ended, so it may still count; one of an older "
               "version never does: kubectl delete autoscaleoverride " +
                   ended.metadata.name + " -n " + ended.metadata.namespace_;
}

void TellOfEnd(kube::Transport& transport, const api::AutoScaleOverride& ended) {
  if (const std::string warning = AwaitEnd(transport, ended, Sleep); !warning.empty()) {
    PrintWarning(ended.metadata.name + ": " + warning);
  }
}

}  // namespace ballast::cli
