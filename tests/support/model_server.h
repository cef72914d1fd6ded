// A model of an API server with one kind, for lists and watches, that fails on purpose: a Transport
// for soak tests. What it sends is always true of some moment; how it sends it is random.
//
// It refuses, throttles, forgets its past (410, in pages and in streams), breaks off, sends
// garbage, ends too early, and omits the end of a stream's initial events. Objects have a number,
// and a flag for whether they match the watchers' selector.
//
// Thread-safety: any thread.
// Errors: injected, until Behave().
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

  // A random change: an object is created, changed, made to match or not to match, deleted, or
  // deleted and created again under its name.
  void Change();
  // Stops injecting faults.
  void Behave();
  // The uid and the number of each object that matches.
  std::map<api::ObjectKey, std::string> Matching() const;
  // Number of injected faults.
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
    std::string line;  // as watchers get it; empty: not for them
  };

  unsigned Random(unsigned below);
  bool Fails(unsigned one_in);
  void Write(const api::ObjectKey& key, Object object);
  void Delete(const api::ObjectKey& key);
  void Append(const char* type, const api::ObjectKey& key, const Object& object);
  Status RandomError();
  // The next lines to send, and where they end. Waits for lines; empty: stopped.
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
  // By continue token: the list's version and the items yet to send.
  std::map<std::string, std::pair<std::uint64_t, std::vector<std::string>>> pages_;
};

}  // namespace ballast::support
