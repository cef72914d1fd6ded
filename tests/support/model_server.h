// An API server of one kind, as far as lists and watches go, that fails on purpose: a Transport for
// soaks. What it tells is always true of some moment; how it tells it is up to chance.
//
// It refuses, throttles, forgets its past (410, in pages and in streams), breaks off, sends
// garbage, ends too early, leaves the end of a stream's beginning out. Objects carry a number and
// whether they match the watchers' selector. Thread-safety: any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "api/kubernetes/meta.h"
#include "operator/kube/transport.h"

namespace ballast::support {

class ModelServer final : public kube::Transport {
 public:
  // One call in `calls_per_fault` fails, and one line in ten times as many.
  ModelServer(unsigned seed, unsigned calls_per_fault);

  // A random change: an object made, changed, made to match or not, deleted, or deleted and made
  // again under its name.
  void Change();
  // From now on nothing fails.
  void Behave();
  // The number of each object that matches.
  std::map<api::ObjectKey, std::string> Matching() const;
  // How many calls have failed on purpose.
  int faults() const;

  Result<kube::Response> Do(const kube::Request& request) override;
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                std::stop_token stop) override;

 private:
  struct Object {
    std::string uid;
    std::uint64_t version = 0;
    std::string number;
    bool matches = true;
  };
  using Objects = std::map<api::ObjectKey, Object>;
  struct Event {
    std::uint64_t version;
    std::string line;  // as watchers get it; empty: not theirs to know
  };

  unsigned Random(unsigned below);
  bool Fails(unsigned one_in);
  void Write(const api::ObjectKey& key, Object object);
  void Delete(const api::ObjectKey& key);
  void Append(const char* type, const api::ObjectKey& key, const Object& object);
  Status RandomError();
  // Lines to send next, and where they end. Waits for some; none: stopped.
  std::vector<std::string> Next(std::uint64_t& at, const std::stop_token& stop);
  static std::string Print(const api::ObjectKey& key, const Object& object);

  mutable std::mutex mutex_;  // guards: everything below
  std::condition_variable_any changed_;
  std::minstd_rand random_;
  unsigned calls_per_fault_;  // 0: none
  int faults_ = 0;
  std::uint64_t version_ = 100;
  std::uint64_t made_ = 0;
  Objects objects_;
  std::deque<Event> events_;
  std::map<std::string, std::pair<std::uint64_t, std::vector<std::string>>> pages_;  // to come
};

}  // namespace ballast::support
