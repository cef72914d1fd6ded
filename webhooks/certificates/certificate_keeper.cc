#include "webhooks/certificates/certificate_keeper.h"

#include <utility>

#include "operator/os/file.h"

namespace ballast::webhooks {
namespace {

// A write that comes second reads what came first and goes on from there.
constexpr int kMaxWrites = 3;

}  // namespace

Status Certificates::Use(const std::string& certificate, const std::string& key) {
  if (certificate + key == in_use_) {
    return Done{};
  }
  ASSIGN_OR_RETURN(const Time ends, EndOf(certificate));
  TRY(identity_->Set(certificate, key));
  in_use_ = certificate + key;
  ends_ = ends.unix_seconds();
  return Done{};
}

Status CertificateKeeper::Tick(Time now) {
  for (int writes = 0;; ++writes) {
    ASSIGN_OR_RETURN(const CertificateStore::Stored stored, store_.Read());
    const std::optional<BundleInfo> info = Inspect(stored.bundle);
    const bool usable = info.has_value();
    const bool trusted = usable && stored.bundle->authorities == published_;
    ASSIGN_OR_RETURN(const auto step,
                     NextStep({.stored = stored.bundle,
                               .info = info,
                               .remembered = remembered_,
                               .names = options_.names,
                               .trusted_since = trusted ? published_at_ : std::nullopt},
                              now, options_.times));
    const bool leader = options_.is_leader();
    if (step && writes < kMaxWrites && leader) {
      const Status written = store_.Write(step->next, stored.version);
      if (written.ok()) {
        options_.on_step(step->what);
      } else if (written.error().code != Code::kConflict) {
        return written;
      }
      continue;
    }
    if (!usable) {
      return leader ? Error{Code::kConflict, "the certificates are written by others all the time"}
                    : Error{Code::kUnavailable, "there is no certificate; the leader makes it"};
    }
    remembered_ = stored.bundle;
    TRY(Use(stored.bundle->certificate, stored.bundle->key));
    return leader ? Publish(stored.bundle->authorities, now) : Status(Done{});
  }
}

Status CertificateKeeper::Publish(const std::string& authorities, Time now) {
  TRY(store_.Publish(authorities));
  if (authorities != published_) {
    published_ = authorities;
    published_at_ = now;
  }
  return Done{};
}

Status CertificateFiles::Tick(Time) {
  ASSIGN_OR_RETURN(const std::string certificate, os::ReadFile(folder_ + "/tls.crt"));
  ASSIGN_OR_RETURN(const std::string key, os::ReadFile(folder_ + "/tls.key"));
  const Status used = Use(certificate, key);
  return used.ok() ? used : Status(used.error().In(folder_));
}

}  // namespace ballast::webhooks
