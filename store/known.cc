#include "store/known.h"

#include <utility>

#include "store/surroundings.h"

namespace ballast::store {
namespace {

// How often a track that is still growing goes to disk: so much of it is lost by a crash.
constexpr Duration kTrackInterval = Duration::Seconds(300);

}  // namespace

bool Known::Continues(const Evaluation& next) { return run && run->Continues(next, allowance); }

void Known::EndRun(Writer::Writes& writes) {
  if (run) {
    writes.push_back([ended = std::move(*run)](Database& db) { return CloseRun(db, ended); });
    run.reset();
  }
}

void Known::Follow(const Evaluation& evaluation, Writer::Writes& writes) {
  if (!track || !track->Add(evaluation)) {
    WriteTrack(writes);
    track.emplace(evaluation);
    track_due = evaluation.time + kTrackInterval;
  } else if (evaluation.time >= track_due) {
    WriteTrack(writes);
    track_due = evaluation.time + kTrackInterval;
  }
}

void Known::WriteTrack(Writer::Writes& writes) const {
  if (track) {
    writes.push_back(
        [row = TrackRow{subject, track->begin(), track->end(), track->evaluations(),
                        track->Pack()}](Database& db) { return store::WriteTrack(db, row); });
  }
}

void Known::Remember(MemoryImage image, Writer::Writes& writes) {
  if (!Covers(written, image)) {
    writes.push_back([about = subject, from = std::move(written), to = image](Database& db) {
      return WriteMemory(db, about, from, to);
    });
    written = image;
  }
  memory = std::move(image);
}

void Known::Rest(Writer::Writes& writes) {
  EndRun(writes);
  WriteTrack(writes);
  track.reset();
  if (memory && memory->live) {
    Remember(AtRest(*memory), writes);
  }
}

}  // namespace ballast::store
