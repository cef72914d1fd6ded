#include "operator/cluster/read_scales.h"

namespace ballast::cluster {

void ReadScales::Remember(const api::ObjectKey& key, const Result<api::Scale>& answer,
                          process::SteadyTime now) {
  Sweep(now);
  if (answer.ok()) {
    entries_[key] = {std::make_shared<const api::Scale>(*answer), now};
    selectors_.Put(key, answer->selector);
  } else if (answer.error().code == Code::kNotFound) {
    entries_[key] = {nullptr, now};
    selectors_.Remove(key);
  }
}

bool ReadScales::Knows(const api::ObjectKey& key, process::SteadyTime now) const {
  const auto found = entries_.find(key);
  return found != entries_.end() && now - found->second.at < kKept;
}

std::vector<std::shared_ptr<const api::Scale>> ReadScales::MaySelect(
    const std::string& namespace_, const std::set<std::string>& pairs) const {
  std::vector<std::shared_ptr<const api::Scale>> found;
  for (const std::string& name : selectors_.Find(namespace_, pairs)) {
    found.push_back(entries_.at({namespace_, name}).scale);
  }
  return found;
}

// Nobody asks for these any more.
void ReadScales::Sweep(process::SteadyTime now) {
  if (now - swept_ < kKept) {
    return;
  }
  swept_ = now;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (now - entry->second.at < 2 * kKept) {
      ++entry;
    } else {
      selectors_.Remove(entry->first);
      entry = entries_.erase(entry);
    }
  }
}

}  // namespace ballast::cluster
