// Runs the program's threads on one thread and in virtual time, so that a run depends on its seed
// alone.
//
// posix.cc replaces the functions by which the program starts threads, waits, sleeps and reads
// clocks (pthread_create, pthread_cond_wait, clock_gettime, ...). So the very threads of the
// program become fibers: a fiber runs until it would wait; then another one runs, chosen at random
// among those that can; when none can, time passes until the next deadline. A mutex may hand over
// to another fiber as well, as a scheduler interrupts threads.
//
// A Machine has the clocks of the fibers that belong to it, and can be stopped, as by SIGSTOP.
//
// Thread-safety: one thread, by construction.
// Errors: a deadlock, and an instant that never ends, print the fibers and end the program.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ballast::faults {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1'000'000'000;
inline constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

struct Fiber;

// The clocks of a process, and whether it runs.
class Machine {
 public:
  // The steady and the wall clock at that time of the world.
  Nanoseconds Steady(Nanoseconds world) const;
  Nanoseconds Wall(Nanoseconds world) const { return Steady(world) + world_began_ + wall_offset_; }
  // How long `span` of its clocks lasts in the world.
  Nanoseconds InWorld(Nanoseconds span) const;

  // From `world` on its clocks run at `rate` (1: as the world's).
  void Drift(Nanoseconds world, double rate);
  // Sets the wall clock forward or, if negative, back.
  void StepWall(Nanoseconds by) { wall_offset_ += by; }

  // What the wall clocks of all machines show at the time 0 of the world.
  static void BeginAt(Nanoseconds wall) { world_began_ = wall; }

  bool stopped() const { return stopped_; }

  // Called instead of ending the program when it calls _exit().
  std::function<void()> on_exit;

 private:
  friend class Fibers;
  static inline Nanoseconds world_began_ = 1'800'000'000 * kSecond;
  double rate_ = 1;
  Nanoseconds since_ = 0;  // when the rate was set, by the world's clock
  Nanoseconds steady_since_ = 0;
  Nanoseconds wall_offset_ = 0;
  bool stopped_ = false;
  std::vector<Fiber*> parked_;  // could run, but it is stopped
};

class Fibers {
 public:
  // The only one; it lives as long as the program.
  static Fibers& Get();

  // Runs until `until`, from fiber to fiber. Call it from outside of fibers.
  void Run(Nanoseconds until);

  // The world's time; begins at one hour.
  Nanoseconds now() const { return now_; }
  void Seed(std::uint64_t seed) { random_ = seed * 2 + 1; }
  // One mutex operation in `one_in` lets other fibers run (0: none). Then a condition may also wake
  // any of those that wait for it, and a wait may end without reason.
  void Preempt(unsigned one_in) { preempt_one_in_ = one_in; }
  // Mutexes let nobody else run until as many calls with `off` false have followed.
  void Calm(bool off) { calm_ += off ? 1 : -1; }
  // How often fibers have been switched to.
  std::uint64_t switches() const { return switches_; }

  // Calls `act` at that time, outside of fibers: it must not wait.
  void At(Nanoseconds time, std::function<void()> act);
  // A new fiber; `machine` (null: the present fiber's) must outlive it.
  Fiber* Spawn(std::string name, Machine* machine, std::function<void()> run);
  void Stop(Machine& machine) { machine.stopped_ = true; }
  void Continue(Machine& machine);

  // For the running fiber. Waits until Wake(key), or until that time of the world; false: it came.
  bool Wait(const void* key, Nanoseconds until = kNever);
  void SleepUntil(Nanoseconds until) { Wait(nullptr, until); }
  void Yield();
  void MaybeYield();  // at a mutex
  // Whether a wait for a condition ends without reason now.
  bool IsSpurious() { return preempt_one_in_ != 0 && OneIn(200); }
  // Wakes a fiber that waits for the key, the longest without preemption, or `count`, or all.
  void Wake(const void* key, std::size_t count = std::numeric_limits<std::size_t>::max());
  // Waits for the end of the fiber, and frees it.
  void Join(Fiber* fiber);
  void Detach(Fiber* fiber);

  Fiber* current() const { return current_; }  // null: outside of fibers
  Machine* machine() const;                    // the running fiber's; may be null
  bool running() const { return running_; }    // whether Run() is under way
  int id() const;                              // the running fiber's number; 0 outside of fibers
  static std::string& NameOf(Fiber* fiber);

  // Prints the fibers, those of `machine` only unless it is null.
  void Print(const Machine* machine) const;
  // Whether one of `one_in` random numbers has come up.
  bool OneIn(unsigned one_in) { return one_in != 0 && Random() % one_in == 0; }

 private:
  struct Timer {
    Nanoseconds at;
    std::uint64_t sequence;
    int fiber;              // its number; 0: calls `act`
    std::uint64_t waiting;  // the number of the wait that it ends
    std::function<void()> act;
    bool operator<(const Timer& other) const {
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };

  std::uint64_t Random();
  void Ready(Fiber* fiber);
  void StopWaiting(Fiber& fiber);
  void SwitchTo(Fiber* fiber);
  void Suspend();
  [[noreturn]] void Fail(const char* why);
  static void Begin();

  bool running_ = false;
  Nanoseconds now_ = 3'600 * kSecond;
  std::uint64_t random_ = 1;
  unsigned preempt_one_in_ = 0;
  int calm_ = 0;
  std::uint64_t switches_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t in_instant_ = 0;
  int made_ = 0;
  Fiber* current_ = nullptr;
  std::vector<Fiber*> ready_;
  std::vector<Timer> timers_;                                     // a heap
  std::map<int, Fiber*> all_;                                     // by number
  std::unordered_map<const void*, std::vector<Fiber*>> waiting_;  // by what they wait for, in order
  std::vector<void*> stacks_;                                     // to be used again
};

}  // namespace ballast::faults
