// A replica of the operator: a pod that runs one process after the other, on one disk.
//
// A Process is the operator assembled from the program's own parts, as in operator/app/operator.cc,
// but for the connection to the API server (link.h), the disk (disk.h), the pages and the webhook,
// of which only the certificates are looked after. Its threads are fibers.
//
// kill -9 cuts a process off from everything at once. It then ends as programs do, which nobody can
// see, while its successor starts.
//
// Thread-safety: one thread, many fibers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "operator/kube/http/connect.h"
#include "operator/kube/transport.h"
#include "operator/net/tls_identity.h"
#include "tests/faults/disk.h"
#include "tests/faults/faults.h"
#include "tests/faults/fibers.h"

namespace ballast::faults {

class World;

class Process {
 public:
  // `exits`: called when it exits by itself, from a fiber that ends with it.
  Process(World& world, Disk& disk, std::string identity, const Machine& clocks,
          std::function<void()> exits);
  ~Process();
  // The one of that identity, which exists.
  static Process& Find(const std::string& identity) { return *all_.at(identity); }

  // On a fiber of its own; returns when the process has ended.
  void Main();
  void Kill();
  void Stop();  // as by SIGTERM

  const std::string& identity() const { return identity_; }
  Machine& machine() { return machine_; }
  bool dead() const { return dead_; }
  bool ended() const { return ended_; }
  // Whether it exited without ending its threads: then it must not be freed.
  bool exited() const { return exited_; }
  // With which it serves the webhook; null: with nothing yet.
  std::shared_ptr<ssl_ctx_st> served() const;
  bool partitioned() const;
  void PartitionUntil(Nanoseconds until) { partitioned_until_ = until; }
  int disk() const { return disk_.number(); }
  // As kube::Connect.
  std::unique_ptr<kube::Transport> Connect(const kube::ConnectOptions& options);

  // The calls under way, by what they are for.
  std::uint64_t Begin(const std::string& phase);
  void End(std::uint64_t number) { calls_.erase(number); }
  std::vector<std::string> Phases() const;

 private:
  void RequestStop();
  // Everything ends at once.
  void Die();

  static inline std::map<std::string, Process*> all_;
  World& world_;
  Disk& disk_;
  const std::string identity_;
  Machine machine_;
  std::stop_source stop_;
  bool dead_ = false;
  bool ended_ = false;
  bool exited_ = false;
  std::shared_ptr<net::TlsIdentity> identity_served_;  // null: it does not run yet
  Nanoseconds partitioned_until_ = 0;
  std::uint64_t called_ = 0;
  std::map<std::uint64_t, std::string> calls_;
};

class Replica {
 public:
  Replica(World& world, int number) : world_(world), number_(number), disk_(world, number) {}

  void Start();
  Process& process() { return *process_; }
  Disk& disk() { return disk_; }
  int number() const { return number_; }
  // kill -9, and a start soon after.
  void Kill(Nanoseconds start_after);
  // Whether a process runs that has not been killed.
  void StartAfter(Nanoseconds span);
  bool running() const { return process_ != nullptr && !process_->dead() && !process_->ended(); }

 private:
  World& world_;
  const int number_;
  Disk disk_;
  Machine clocks_;
  int started_ = 0;
  std::unique_ptr<Process> process_;
  std::vector<std::unique_ptr<Process>> former_;  // killed, and ending unseen
};

}  // namespace ballast::faults
