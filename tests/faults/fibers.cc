#include "tests/faults/fibers.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

// The exceptions that a thread handles at present; each fiber has its own.
namespace __cxxabiv1 {
struct __cxa_eh_globals {
  void* caught;
  unsigned int uncaught;
};
}  // namespace __cxxabiv1

// As swapcontext(), but without its two system calls: what a function must preserve is on its
// stack. Saves the present stack pointer in `from`, and goes on at `to`.
extern "C" void BallastSwitchStacks(void** from, void* to);
asm(R"(
.text
.type BallastSwitchStacks, @function
BallastSwitchStacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size BallastSwitchStacks, . - BallastSwitchStacks
)");

namespace ballast::faults {
namespace {

constexpr std::size_t kSaved = 6;  // registers, by BallastSwitchStacks()
constexpr std::size_t kStack = 512 << 10;
constexpr std::uint64_t kLongestInstant = 5'000'000;  // switches

void* scheduler = nullptr;  // the stack on which Run() goes on

}  // namespace

struct Fiber {
  std::string name;
  Machine* machine = nullptr;
  std::function<void()> run;
  int id = 0;
  void* stack = nullptr;
  void* at = nullptr;  // where it goes on, in the stack
  __cxxabiv1::__cxa_eh_globals exceptions{};
  const void* key = nullptr;  // waits for it
  std::uint64_t waits = 0;    // the number of its present or last wait, of all fibers' waits
  bool waiting = false;
  bool timed_out = false;
  bool done = false;
  bool detached = false;
};

Nanoseconds Machine::Steady(Nanoseconds world) const {
  return steady_since_ +
         static_cast<Nanoseconds>(std::llround(static_cast<double>(world - since_) * rate_));
}

Nanoseconds Machine::InWorld(Nanoseconds span) const {
  return static_cast<Nanoseconds>(std::ceil(static_cast<double>(span) / rate_)) + 1;
}

void Machine::Drift(Nanoseconds world, double rate) {
  steady_since_ = Steady(world);
  since_ = world;
  rate_ = rate;
}

Fibers& Fibers::Get() {
  static Fibers* const only = new Fibers;
  return *only;
}

Machine* Fibers::machine() const { return current_ == nullptr ? nullptr : current_->machine; }
int Fibers::id() const { return current_ == nullptr ? 0 : current_->id; }
std::string& Fibers::NameOf(Fiber* fiber) { return fiber->name; }

// xorshift64*
std::uint64_t Fibers::Random() {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return (random_ * 0x2545F4914F6CDD1DULL) >> 32;
}

void Fibers::At(Nanoseconds time, std::function<void()> act) {
  timers_.push_back({std::max(time, now_), ++sequence_, 0, 0, std::move(act)});
  std::push_heap(timers_.begin(), timers_.end());
}

Fiber* Fibers::Spawn(std::string name, Machine* machine, std::function<void()> run) {
  auto* fiber = new Fiber;
  fiber->name = std::move(name);
  fiber->machine = machine;
  fiber->run = std::move(run);
  fiber->id = ++made_;
  if (stacks_.empty()) {
    fiber->stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fiber->stack == MAP_FAILED) {
      Fail("no memory for a stack");
    }
    mprotect(fiber->stack, 4096, PROT_NONE);  // an overflow ends the program
  } else {
    fiber->stack = stacks_.back();
    stacks_.pop_back();
  }
  // It returns to Begin(), which returns to nobody.
  void** const top = static_cast<void**>(fiber->stack) + kStack / sizeof(void*);
  std::fill(top - 2 - kSaved, top, nullptr);
  top[-2] = reinterpret_cast<void*>(&Fibers::Begin);
  fiber->at = top - 2 - kSaved;
  all_[fiber->id] = fiber;
  Ready(fiber);
  return fiber;
}

void Fibers::Begin() {
  Fiber* const fiber = Get().current_;
  fiber->run();
  fiber->run = nullptr;
  fiber->done = true;
  Get().Wake(fiber);
  Get().Suspend();
}

void Fibers::Ready(Fiber* fiber) {
  if (fiber->machine != nullptr && fiber->machine->stopped_) {
    fiber->machine->parked_.push_back(fiber);
  } else {
    ready_.push_back(fiber);
  }
}

void Fibers::Continue(Machine& machine) {
  machine.stopped_ = false;
  ready_.insert(ready_.end(), machine.parked_.begin(), machine.parked_.end());
  machine.parked_.clear();
}

void Fibers::SwitchTo(Fiber* fiber) {
  ++switches_;
  if (++in_instant_ > kLongestInstant) {
    Fail("an instant does not end");
  }
  auto* const globals = reinterpret_cast<__cxxabiv1::__cxa_eh_globals*>(abi::__cxa_get_globals());
  const auto own = *globals;
  *globals = fiber->exceptions;
  current_ = fiber;
  BallastSwitchStacks(&scheduler, fiber->at);
  current_ = nullptr;
  fiber->exceptions = *globals;
  *globals = own;
  if (fiber->done) {
    stacks_.push_back(std::exchange(fiber->stack, nullptr));
    all_.erase(fiber->id);
    if (fiber->detached) {
      delete fiber;
    }
  }
}

void Fibers::Suspend() { BallastSwitchStacks(&current_->at, scheduler); }

void Fibers::Run(Nanoseconds until) {
  running_ = true;
  for (;;) {
    if (!ready_.empty()) {
      std::swap(ready_[Random() % ready_.size()], ready_.back());
      Fiber* const next = ready_.back();
      ready_.pop_back();
      if (next->machine != nullptr && next->machine->stopped_) {
        next->machine->parked_.push_back(next);
      } else {
        SwitchTo(next);
      }
      continue;
    }
    if (timers_.empty() || timers_.front().at > until) {
      break;
    }
    std::pop_heap(timers_.begin(), timers_.end());
    Timer timer = std::move(timers_.back());
    timers_.pop_back();
    if (timer.fiber == 0) {
      in_instant_ = timer.at > now_ ? 0 : in_instant_;
      now_ = timer.at;
      timer.act();
      continue;
    }
    const auto alive = all_.find(timer.fiber);
    if (alive == all_.end() || !alive->second->waiting || alive->second->waits != timer.waiting) {
      continue;  // it was woken before
    }
    Fiber* const fiber = alive->second;
    in_instant_ = timer.at > now_ ? 0 : in_instant_;
    now_ = timer.at;
    StopWaiting(*fiber);
    fiber->timed_out = true;
    Ready(fiber);
  }
  now_ = std::max(now_, until);
  running_ = false;
}

bool Fibers::Wait(const void* key, Nanoseconds until) {
  if (current_ == nullptr) {
    Fail("code outside of fibers waits");
  }
  Fiber& me = *current_;
  me.key = key;
  me.waiting = true;
  me.timed_out = false;
  me.waits = ++sequence_;
  if (key != nullptr) {
    waiting_[key].push_back(&me);
  }
  if (until != kNever) {
    timers_.push_back({std::max(until, now_), ++sequence_, me.id, me.waits, {}});
    std::push_heap(timers_.begin(), timers_.end());
  }
  Suspend();
  return !me.timed_out;
}

void Fibers::Yield() {
  if (current_ != nullptr) {
    ready_.push_back(current_);
    Suspend();
  }
}

void Fibers::MaybeYield() {
  if (current_ != nullptr && calm_ == 0 && OneIn(preempt_one_in_)) {
    Yield();
  }
}

void Fibers::Wake(const void* key, std::size_t count) {
  for (; count > 0; --count) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) {
      return;
    }
    const std::vector<Fiber*>& all = found->second;
    Fiber* const next = all[preempt_one_in_ == 0 ? 0 : Random() % all.size()];
    StopWaiting(*next);
    Ready(next);
  }
}

void Fibers::StopWaiting(Fiber& fiber) {
  fiber.waiting = false;
  if (fiber.key == nullptr) {
    return;
  }
  const auto found = waiting_.find(fiber.key);
  std::erase(found->second, &fiber);
  if (found->second.empty()) {
    waiting_.erase(found);
  }
}

void Fibers::Join(Fiber* fiber) {
  while (!fiber->done) {
    Wait(fiber);
  }
  delete fiber;
}

void Fibers::Detach(Fiber* fiber) {
  if (fiber->done) {
    delete fiber;
  } else {
    fiber->detached = true;
  }
}

void Fibers::Print(const Machine* machine) const {
  for (const auto& [id, fiber] : all_) {
    if (machine == nullptr || fiber->machine == machine) {
      std::fprintf(stderr, "  %s %d%s\n", fiber->name.c_str(), fiber->id,
                   fiber == current_ ? " (running)"
                   : fiber->waiting  ? " (waits)"
                                     : "");
    }
  }
}

void Fibers::Fail(const char* why) {
  std::fprintf(stderr, "the simulator cannot go on: %s\n", why);
  Print(nullptr);
  std::abort();
}

}  // namespace ballast::faults
