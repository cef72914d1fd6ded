#include "tests/faults/check_answers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <regex>

#include "operator/cli/ledger/why_answer.h"
#include "operator/explain/recorded_decision.h"
#include "store/sqlite/reader.h"
#include "tests/faults/answer_words.h"

namespace ballast::faults {
namespace {

// From a decision until its write is applied, or will never be.
constexpr Nanoseconds kLanding = 30 * kSecond;

// "spec.maxReplicas" of an autoscaler, as edits print it.
std::string ValueOf(const JsonValue& spec, const std::string& field) {
  const JsonValue* value = &spec;
  for (std::size_t begin = std::string("spec.").size(); begin <= field.size();) {
    const std::size_t end = std::min(field.find('.', begin), field.size());
    value = value->Find(field.substr(begin, end - begin));
    if (value == nullptr) {
      return "";
    }
    begin = end + 1;
  }
  return value->Text().empty() ? value->Print() : value->Text();
}

}  // namespace

Answers::Answers(std::uint64_t seed, const Swarm& swarm, const std::vector<Load>& loads,
                 Checks& checks)
    : dice_(seed ^ 0x5eed0f0a15e95ULL), swarm_(swarm), loads_(loads), checks_(checks) {}

Archive& Answers::ArchiveOf(int disk) {
  while (archives_.size() <= static_cast<std::size_t>(disk)) {
    archives_.emplace_back(static_cast<int>(archives_.size()));
  }
  return archives_[static_cast<std::size_t>(disk)];
}

void Answers::Look(const std::vector<ReplicaView>& replicas, const std::string& holder,
                   const std::vector<LoadView>& loads) {
  const Nanoseconds now = Fibers::Get().now();
  seen_.resize(replicas.size());
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const ReplicaView& replica = replicas[i];
    seen_[i].push_back(
        {now, replica.wall, replica.identity, holder, replica.running, replica.stopped});
  }
  state_.resize(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    State& state = state_[i];
    const auto& count = loads[i].replicas;
    if (count && (state.counts.empty() || state.counts.back().second != *count)) {
      state.counts.emplace_back(now, *count);
    }
    Version version{.from = now};
    if (const JsonValue* autoscaler = loads[i].autoscaler) {
      version.uid = autoscaler->At({"metadata", "uid"}).Text();
      version.spec = autoscaler->At({"spec"});
      version.annotations = autoscaler->At({"metadata", "annotations"});
      if (loads_[i].hpa) {
        version.current = autoscaler->At({"status", "currentReplicas"}).Integer();
        version.desired = autoscaler->At({"status", "desiredReplicas"}).Integer();
      }
    }
    if (state.versions.empty() || !state.versions.back().IsLike(version)) {
      state.versions.push_back(std::move(version));
    }
  }
}

void Answers::LeaseIs(const std::string& holder) {
  if (leaders_.empty() || leaders_.back().second != holder) {
    leaders_.emplace_back(Fibers::Get().now(), holder);
  }
}

void Answers::Scaled(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  state_.resize(loads_.size());
  state_[index].changes.push_back({now, write});
  state_[index].counts.emplace_back(now, write.to);
}

void Answers::MadeAgain(std::size_t index, std::int64_t replicas) {
  state_.resize(loads_.size());
  state_[index].counts.emplace_back(Fibers::Get().now(), replicas);
}

void Answers::Ask(int count) {
  std::vector<std::unique_ptr<store::Reader>> readers;
  for (Archive& archive : archives_) {
    const Status written = archive.Write();
    auto reader = written.ok() ? store::Reader::Open(archive.path())
                               : Result<std::unique_ptr<store::Reader>>(written.error());
    if (!reader.ok() && reader.error().code != Code::kNotFound) {
      return checks_.Fail("answer", "a ledger cannot be read: " + reader.error().message);
    }
    readers.push_back(reader.ok() ? std::move(reader).value() : nullptr);
  }
  for (int i = 0; i < count && !checks_.failure() && !readers.empty(); ++i) {
    const std::size_t disk = dice_.Below(readers.size());
    if (readers[disk] != nullptr) {
      AskOne(*readers[disk], disk);
    }
  }
}

void Answers::AskOne(store::History& history, std::size_t disk) {
  const std::vector<Seen>& seen = seen_[disk];
  const std::size_t index = dice_.Below(loads_.size());
  const Seen& then = seen[dice_.Below(seen.size())];
  const auto time = [](Nanoseconds wall) { return Time::FromUnixNanoseconds(wall); };
  const Nanoseconds now = seen.back().wall;
  // The command line asks of no time that is to come, as one that a wrong clock showed.
  const Nanoseconds when = std::min(then.wall + dice_.Between(0, 5 * kSecond), now);
  const auto moment = explain::LookBack(
      history, {.key = api::ObjectKey{"shop", loads_[index].name}}, time(when), time(now));
  if (!moment.ok()) {
    return checks_.Fail("answer", "no answer: " + moment.error().message);
  }
  ++asked_;
  Answer answer{.disk = disk,
                .index = index,
                .moment = *moment,
                .text = cli::AnswerAbout(*moment, cli::Zone::kUtc)};
  answer.sentence = answer.text.substr(0, answer.text.find(" Before it, "));
  if (const auto at = answer.sentence.rfind("The last decision before: ");
      at != std::string::npos) {
    answer.sentence = answer.sentence.substr(at);
  }
  if (moment->decided) {
    const store::Entry& told = moment->HasItsInputs() ? *moment->inputs_of : *moment->decided;
    answer.explained = WorldTimes(disk, told.time);
    const bool later = moment->recorded && moment->point && moment->point->time > told.time;
    answer.newest = later ? WorldTimes(disk, moment->point->time) : answer.explained;
  }
  Check(answer);
}

void Answers::Fail(const Answer& answer, const std::string& what) {
  std::string when;
  for (const auto& [from, until] : answer.newest) {
    when += " (evaluated between " + std::to_string(from / kSecond - 3600) + " s and " +
            std::to_string(until / kSecond - 3600) + " s)";
  }
  checks_.Fail("answer", "replica " + std::to_string(answer.disk) + " says of " +
                             Print(answer.moment.at) + ": " + answer.text + " But " + what + when);
}

void Answers::Check(const Answer& answer) {
  CheckWords(answer);
  CheckGap(answer);
  if (!answer.moment.decided) {
    return;
  }
  CheckForeignChange(answer);
  if (!answer.moment.decided->evaluated()) {  // what another controller decided is its own
    return CheckObserved(answer);
  }
  CheckCounts(answer);
  CheckShadow(answer);
  CheckLimits(answer);
  CheckMetrics(answer);
  CheckValues(answer);
  CheckReadings(answer);
  CheckEdits(answer);
}

void Answers::CheckWords(const Answer& answer) {
  static const std::regex kBareTime(R"([0-9]:[0-9][0-9](?! UTC)(?!:[0-9])(?!(\.[0-9]+)?Z))");
  const std::string first = answer.text.substr(0, answer.text.find(". "));
  for (std::size_t i = 1; i < first.size(); ++i) {
    if (std::islower(static_cast<unsigned char>(first[i - 1])) != 0 &&
        std::isupper(static_cast<unsigned char>(first[i])) != 0) {
      return Fail(answer, "the first sentence has a CamelCase word");
    }
  }
  if (Has(first, "(nil)")) {
    Fail(answer, "the first sentence has (nil)");
  }
  // A schedule's times, as an edit tells them, have a zone of their own.
  if (!Has(answer.text, "spec.schedules") && loads_[answer.index].windows.empty() &&
      std::regex_search(answer.text, kBareTime)) {
    Fail(answer, "a time has no zone");
  }
}

// ---- Counts and dispositions

void Answers::CheckCounts(const Answer& answer) {
  const std::string& said = answer.sentence;
  const auto stayed = Has(said, "; in its controller's place, ")
                          ? NumberAfter(said, KeyOf(loads_[answer.index]).Print() + " had ")
                          : NumberAfter(said, " stayed at ");
  const auto from = stayed ? stayed : NumberAfter(said, " scaled from ");
  if (!from) {
    return;
  }
  const auto is_it = [&](std::int64_t count) { return count == *from; };
  if (!HadCount(answer.index, answer.newest, ViewAge(), is_it)) {
    Fail(answer, "it did not have " + std::to_string(*from));
  }
  if (const auto failed = NumberAfter(said, "it was to be scaled to ")) {
    return CheckFailed(answer, *from, *failed);
  }
  const std::string before = " was scaled from " + std::to_string(*from) + " to ";
  if (const auto to = NumberAfter(said, before)) {
    CheckWritten(answer, *from, *to);
  }
}

std::int64_t Answers::Applied(std::size_t index, std::int64_t from, std::int64_t to,
                              Span span) const {
  return std::ranges::count_if(state_[index].changes, [&](const Change& change) {
    return change.write.by == "ballast" && change.write.from == from && change.write.to == to &&
           change.at >= span.from && change.at <= span.until;
  });
}

void Answers::CheckWritten(const Answer& answer, std::int64_t from, std::int64_t to) {
  const Nanoseconds landing = kLanding + (swarm_.Has(Fault::kPauses) ? 120 * kSecond : 0);
  if (std::ranges::none_of(answer.explained, [&](Span made) {
        return Applied(answer.index, from, to, {made.from - kRead, made.until + landing}) > 0;
      })) {
    Fail(answer, "that was not applied");
  }
}

// Unless there is another record of it, nothing like that was applied then.
void Answers::CheckFailed(const Answer& answer, std::int64_t from, std::int64_t to) {
  if (answer.explained.size() != 1 || swarm_.Has(Fault::kFailingDisk) ||
      swarm_.Has(Fault::kSlowDisk)) {
    return;
  }
  const Span made = answer.explained.front();
  const std::int64_t applied = Applied(answer.index, from, to, {made.from, made.until + kLanding});
  std::int64_t others = 0;
  for (std::size_t disk = 0; disk < archives_.size(); ++disk) {
    const auto reader = store::Reader::Open(archives_[disk].path());
    const auto entries = reader.ok() ? (*reader)->Entries({.key = answer.moment.key})
                                     : Result<std::vector<store::Entry>>(reader.error());
    if (!entries.ok()) {
      continue;
    }
    for (const store::Entry& entry : *entries) {
      const bool may_be_it = entry.disposition == store::Disposition::kWritten ||
                             entry.disposition == store::Disposition::kUnknown ||
                             entry.disposition == store::Disposition::kIntended;
      others +=
          may_be_it && entry.current_replicas == from && entry.desired_replicas == to &&
          std::ranges::any_of(WorldTimes(disk, entry.time), [&](Span other) {
            return other.until > made.from - 2 * kLanding && other.from < made.until + 2 * kLanding;
          });
    }
  }
  if (applied > others) {
    Fail(answer, "it was applied");
  }
}

// ---- Limits

void Answers::CheckLimits(const Answer& answer) {
  if (!loads_[answer.index].windows.empty()) {
    return;  // they limit and hold it as well
  }
  const std::string& said = answer.sentence;
  const auto is = [](const char* field, std::int64_t value) {
    return [=](const Version& version) { return version.spec.At({field}).Integer() == value; };
  };
  const auto one = NumberAfter(said, " asks for ");
  const auto wanted = one ? one : NumberAfter(said, " ask for ");  // its metrics
  if (const auto max = NumberAfter(said, "its maximum is ");
      max && !(wanted.value_or(0) > *max && WasSo(answer, is("maxReplicas", *max)))) {
    Fail(answer, "its maximum did not limit it");
  }
  const auto enough = NumberBefore(said, " would be enough by ");
  if (const auto min = NumberAfter(said, "its minimum is ");
      min && !(enough.value_or(*min) < *min && WasSo(answer, is("minReplicas", *min)))) {
    Fail(answer, "its minimum did not limit it");
  }
  if (const auto allowed = NumberAfter(said, "it may not scale out faster: to ")) {
    CheckRate(answer, *allowed);
  }
  const auto expect = [&](const char* words, const auto& holds) {
    if (Has(said, words) && !WasSo(answer, holds)) {
      Fail(answer, "its spec says otherwise");
    }
  };
  const auto text = [](std::vector<const char*> path, const char* value) {
    return [=](const Version& version) {
      const JsonValue* at = &version.spec;
      for (const char* name : path) {
        at = at == nullptr ? nullptr : at->Find(name);
      }
      return at != nullptr && at->Text() == value;
    };
  };
  expect("one step leads at most to twice as many",
         [](const Version& version) { return version.spec.Find("behavior") == nullptr; });
  expect("scaling out is switched off", text({"behavior", "scaleUp", "selectPolicy"}, "Disabled"));
  expect("scaling in is switched off", text({"behavior", "scaleDown", "selectPolicy"}, "Disabled"));
  expect("its autoscaler is switched off", text({"mode"}, "Disabled"));
  expect("(a dry run)", text({"mode"}, "DryRun"));
  if (const std::int64_t seconds = SecondsAfter(said, " until fewer have been enough for ");
      seconds > 0) {
    if (!WasSo(answer, [&](const Version& version) {
          const JsonValue& window =
              version.spec.At({"behavior", "scaleDown", "stabilizationWindowSeconds"});
          return (window.is_null() ? 300 : window.Integer()) == seconds;
        })) {
      Fail(answer, "the window is not " + std::to_string(seconds) + " s");
    }
  }
  // Watches stall for three minutes at most, and are refused for a quarter of an hour.
  const Nanoseconds silence = (swarm_.Has(Fault::kRefusedWatches) ? 900 : 180) * kSecond;
  if (const std::int64_t age = SecondsAfter(said, "no news of its pods for ");
      age > 0 && !(IsDisturbed() && age * kSecond < silence + ViewAge())) {
    Fail(answer, "nothing kept the news of its pods for so long");
  }
  CheckPause(answer);
}

// It is so many more than there were within the period, unless others set the replicas meanwhile,
// or a clock that was set back counts what was scaled in later as of just now.
void Answers::CheckRate(const Answer& answer, std::int64_t allowed) {
  const Load& load = loads_[answer.index];
  if (load.rules.any) {
    return;  // by which one it is, the decision's own check knows
  }
  const std::int64_t added = load.max_ups == 0 ? 20 : load.max_ups;
  const Nanoseconds period = (load.max_ups == 0 ? 15 : 60) * kSecond;
  const Nanoseconds before = period + ViewAge();
  const Nanoseconds apart = checks_.Apart();
  const bool others = std::ranges::any_of(answer.explained, [&](Span span) {
    return std::ranges::any_of(state_[answer.index].changes, [&](const Change& change) {
      const bool may_be_later = apart > 0 && change.write.to < change.write.from;
      return (may_be_later || change.write.by != "ballast") &&
             change.at > span.from - kRead - before - (may_be_later ? apart : 0) &&
             change.at < span.until + kRead;
    });
  });
  // A leader that has lost track of time adds nothing for one period.
  const bool lost_track = IsDisturbed() && answer.moment.HasItsInputs() &&
                          answer.moment.inputs->decision.current_replicas == allowed;
  if (!others && !lost_track &&
      !HadCount(answer.index, answer.explained, before,
                [&](std::int64_t count) { return count + added == allowed; })) {
    Fail(answer, "its rate does not lead to " + std::to_string(allowed));
  }
}

void Answers::CheckPause(const Answer& answer) {
  const bool says =
      Has(answer.sentence, " paused scaling") || Has(answer.sentence, "scaling is paused") ||
      Has(answer.sentence, "scaling in is paused") || Has(answer.sentence, "scaling out is paused");
  const auto& inputs = answer.moment.inputs;
  if (!says || !inputs || !loads_[answer.index].windows.empty()) {
    return;
  }
  for (const api::Pause& pause : inputs->pauses) {
    if (!WasSo(answer, [&](const Version& version) {
          const auto until = ParseTime(version.annotations.At({api::kPausedUntil}).Text());
          return until.ok() && *until == pause.until;
        })) {
      Fail(answer, "there was no such pause");
    }
  }
}

// ---- What others did

void Answers::CheckEdits(const Answer& answer) {
  const auto& versions = state_[answer.index].versions;
  for (const store::EditEntry& edited : answer.moment.edits) {
    const store::Edit& edit = edited.edit;
    if (!edit.field.starts_with("spec.") || edit.field.starts_with("spec.schedules")) {
      continue;
    }
    bool was_before = false;
    bool was_made = false;
    for (const Version& version : versions) {
      const std::string value = ValueOf(version.spec, edit.field);
      was_made |= was_before && value == edit.after;
      was_before |= value == edit.before;
    }
    if (!was_made) {
      Fail(answer, edit.field + " was not edited so");
    }
  }
}

void Answers::CheckForeignChange(const Answer& answer) {
  if (!answer.moment.foreign_change) {
    return;
  }
  const store::ForeignChange& change = answer.moment.foreign_change->change;
  auto noticed = WorldTimes(answer.disk, change.time);
  if (loads_[answer.index].hpa) {
    noticed = Observed(std::move(noticed), change.time);
  }
  const bool was_made = std::ranges::any_of(noticed, [&](Span span) {
    return std::ranges::any_of(state_[answer.index].changes, [&](const Change& made) {
      return made.at <= span.until + kRead && made.write.to == change.to &&
             (change.manager.empty() || change.manager == made.write.by ||
              made.write.by == kOnceMore);
    });
  });
  const bool had = HadCount(answer.index, noticed, ViewAge(),
                            [&](std::int64_t count) { return count == change.to; }) ||
                   (loads_[answer.index].hpa && WasTold(answer.index, noticed, change.to));
  if (!had || (!was_made && !change.manager.empty())) {
    Fail(answer, "nobody set " + std::to_string(change.to) + " replicas, as " + change.manager +
                     " is said to have done");
  }
}

// ---- The model's past

std::vector<Answers::Span> Answers::WorldTimes(std::size_t disk, Time wall) const {
  const Nanoseconds time = wall.unix_nanoseconds();
  const std::vector<Seen>& seen = seen_[disk];
  std::vector<Span> spans;
  const auto add = [&](Nanoseconds from, Nanoseconds until) {
    if (!spans.empty() && from <= spans.back().until) {
      spans.back().until = until;
    } else {
      spans.push_back({from, until});
    }
  };
  for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
    const auto [low, high] = std::minmax(seen[i].wall, seen[i + 1].wall);
    if (low - kSecond <= time && time <= high + kSecond) {
      add(seen[i].at, seen[i + 1].at);
    }
  }
  if (!seen.empty() && time >= seen.back().wall - kSecond) {
    add(seen.back().at, Fibers::Get().now());
  }
  return spans;
}

bool Answers::HadCount(std::size_t index, const std::vector<Span>& spans, Nanoseconds before,
                       const Holds& holds) const {
  const auto& counts = state_[index].counts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Nanoseconds end = i + 1 < counts.size() ? counts[i + 1].first : kNever;
    if (holds(counts[i].second) && std::ranges::any_of(spans, [&](Span span) {
          return counts[i].first <= span.until + kRead && end >= span.from - kRead - before;
        })) {
      return true;
    }
  }
  return false;
}

bool Answers::WasNeeded(const Answer& answer, const std::vector<Span>& spans,
                        const Holds& holds) const {
  const Load& load = loads_[answer.index];
  for (std::size_t i = 0; i < load.levels.size(); ++i) {
    const Nanoseconds end = i + 1 < load.levels.size() ? load.levels[i + 1].from : kNever;
    if (holds(load.levels[i].replicas) && std::ranges::any_of(spans, [&](Span span) {
          return load.levels[i].from <= span.until + kRead &&
                 end >= span.from - kRead - load.sample_every - ViewAge();
        })) {
      return true;
    }
  }
  return false;
}

bool Answers::WasSo(std::size_t index, const std::vector<Span>& spans,
                    const HoldsFor& holds) const {
  const auto& versions = state_[index].versions;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Nanoseconds end = i + 1 < versions.size() ? versions[i + 1].from : kNever;
    if (holds(versions[i]) && std::ranges::any_of(spans, [&](Span span) {
          return versions[i].from <= span.until + kRead && end >= span.from - kRead - ViewAge();
        })) {
      return true;
    }
  }
  return false;
}

bool Answers::IsDisturbed() const {
  constexpr std::array kSlow{
      Fault::kSlowCalls,      Fault::kLostRequests, Fault::kLostAnswers, Fault::kErrors,
      Fault::kLateWatches,    Fault::kCutWatches,   Fault::kExpiry,      Fault::kSlowMetrics,
      Fault::kPauses,         Fault::kPartitions,   Fault::kClockSteps,  Fault::kPreemption,
      Fault::kKills,          Fault::kRestarts,     Fault::kFlaps,       Fault::kStalledWatches,
      Fault::kGarbledAnswers, Fault::kLostTargets,  Fault::kAllEdits,    Fault::kConflicts,
      Fault::kInvalidSpecs,   Fault::kRemovals,     Fault::kRetargets,   Fault::kRefusedWatches};
  return std::ranges::any_of(kSlow, [&](Fault fault) { return swarm_.Has(fault); });
}

Nanoseconds Answers::ViewAge() const {
  return IsDisturbed() ? checks_.Lateness() + 60 * kSecond : 20 * kSecond;
}

}  // namespace ballast::faults
