// Replaces the functions of the C library by which a program starts threads, waits, and reads
// clocks, by those of fibers.h. The linker prefers this program's functions to the C library's,
// also for calls from the C++ library.
//
// While no fiber runs, clocks are the world's, mutexes are free, and nothing may wait.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "tests/faults/fibers.h"

namespace {

using ballast::faults::Fiber;
using ballast::faults::Fibers;
using ballast::faults::kNever;
using ballast::faults::kSecond;
using ballast::faults::Machine;
using ballast::faults::Nanoseconds;

Nanoseconds ToNanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

long Direct(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result = 0;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

bool IsWall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

Nanoseconds Read(clockid_t clock) {
  static const Machine* const world = new Machine;
  const Machine* machine = Fibers::Get().machine();
  machine = machine == nullptr ? world : machine;
  const Nanoseconds now = Fibers::Get().now();
  return IsWall(clock) ? machine->Wall(now) : machine->Steady(now);
}

// When a clock of the running fiber's machine will show `time`, by the world's clock.
Nanoseconds WorldTime(clockid_t clock, Nanoseconds time) {
  const Nanoseconds left = time - Read(clock);
  const Nanoseconds now = Fibers::Get().now();
  if (left <= 0) {
    return now;
  }
  const Machine* machine = Fibers::Get().machine();
  const Nanoseconds in_world = machine == nullptr ? left : machine->InWorld(left);
  return in_world > kNever - now ? kNever : now + in_world;
}

int WaitOn(pthread_cond_t* condition, pthread_mutex_t* mutex, Nanoseconds until) {
  pthread_mutex_unlock(mutex);
  bool woken = true;
  if (Fibers::Get().IsSpurious()) {
    Fibers::Get().Yield();
  } else {
    woken = Fibers::Get().Wait(condition, until);
  }
  pthread_mutex_lock(mutex);
  return woken ? 0 : ETIMEDOUT;
}

long Futex(int* word, int operation, int value, const timespec* time) {
  const int command = operation & FUTEX_CMD_MASK;
  Fibers& fibers = Fibers::Get();
  if (command == FUTEX_WAKE) {
    fibers.Wake(word, static_cast<std::size_t>(value));
    return 0;
  }
  if (*word != value) {
    errno = EAGAIN;
    return -1;
  }
  Nanoseconds until = kNever;
  if (time != nullptr) {
    const clockid_t clock =
        (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    const Nanoseconds base = command == FUTEX_WAIT_BITSET ? 0 : Read(clock);
    until = WorldTime(clock, base + ToNanoseconds(*time));
  }
  if (!fibers.Wait(word, until)) {
    errno = ETIMEDOUT;
    return -1;
  }
  return 0;
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t*, void* (*run)(void*), void* argument) {
  __libc_single_threaded = 0;  // else the C++ library leaves out what only threads need
  Fiber* const fiber =
      Fibers::Get().Spawn("thread", Fibers::Get().machine(), [=] { run(argument); });
  *thread = reinterpret_cast<pthread_t>(fiber);
  return 0;
}

int pthread_join(pthread_t thread, void**) {
  Fibers::Get().Join(reinterpret_cast<Fiber*>(thread));
  return 0;
}

int pthread_detach(pthread_t thread) {
  Fibers::Get().Detach(reinterpret_cast<Fiber*>(thread));
  return 0;
}

pthread_t pthread_self() noexcept {
  Fiber* const fiber = Fibers::Get().current();
  return fiber == nullptr ? 1 : reinterpret_cast<pthread_t>(fiber);
}

int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  if (thread != 1) {
    Fibers::NameOf(reinterpret_cast<Fiber*>(thread)) = name;
  }
  return 0;
}

int pthread_getname_np(pthread_t thread, char* name, size_t size) noexcept {
  const std::string own = thread == 1 ? "main" : Fibers::NameOf(reinterpret_cast<Fiber*>(thread));
  std::strncpy(name, own.c_str(), size);
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  Fibers& fibers = Fibers::Get();
  auto& state = mutex->__data;
  if (state.__kind == PTHREAD_MUTEX_RECURSIVE_NP && state.__lock != 0 &&
      state.__owner == fibers.id()) {
    ++state.__count;
    return 0;
  }
  fibers.MaybeYield();
  while (state.__lock != 0) {
    ++state.__nusers;  // so many wait
    fibers.Wait(mutex);
    --state.__nusers;
  }
  state.__lock = 1;
  state.__owner = fibers.id();
  return 0;
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  auto& state = mutex->__data;
  const bool again = state.__kind == PTHREAD_MUTEX_RECURSIVE_NP && state.__lock != 0 &&
                     state.__owner == Fibers::Get().id();
  if (state.__lock != 0 && !again) {
    return EBUSY;
  }
  // At once: whoever only tries must not wait.
  state.__count += again ? 1 : 0;
  state.__lock = 1;
  state.__owner = Fibers::Get().id();
  return 0;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  auto& state = mutex->__data;
  if (state.__count > 0) {
    --state.__count;
    return 0;
  }
  state.__lock = 0;
  state.__owner = 0;
  if (state.__nusers > 0) {
    Fibers::Get().Wake(mutex, 1);
  }
  return 0;
}

int pthread_mutex_destroy(pthread_mutex_t*) noexcept { return 0; }

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return WaitOn(condition, mutex, kNever);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  return WaitOn(condition, mutex, WorldTime(clock, ToNanoseconds(*until)));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, until);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  Fibers::Get().Wake(condition, 1);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  Fibers::Get().Wake(condition);
  return 0;
}

int pthread_cond_destroy(pthread_cond_t*) noexcept { return 0; }

int sched_yield() noexcept {
  Fibers::Get().Yield();
  return 0;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) {
    return static_cast<int>(Direct(SYS_clock_gettime, clock, reinterpret_cast<long>(time)));
  }
  const Nanoseconds now = Read(clock);
  *time = {now / kSecond, now % kSecond};
  return 0;
}

int gettimeofday(timeval* time, void*) noexcept {
  const Nanoseconds now = Read(CLOCK_REALTIME);
  *time = {now / kSecond, now % kSecond / 1000};
  return 0;
}

time_t time(time_t* out) noexcept {
  const time_t now = Read(CLOCK_REALTIME) / kSecond;
  if (out != nullptr) {
    *out = now;
  }
  return now;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* span, timespec*) {
  const Nanoseconds base = (flags & TIMER_ABSTIME) != 0 ? 0 : Read(clock);
  Fibers::Get().SleepUntil(WorldTime(clock, base + ToNanoseconds(*span)));
  return 0;
}

int nanosleep(const timespec* span, timespec* left) {
  return clock_nanosleep(CLOCK_MONOTONIC, 0, span, left);
}

int usleep(useconds_t span) {
  const timespec time{span / 1'000'000, static_cast<long>(span % 1'000'000) * 1000};
  return nanosleep(&time, nullptr);
}

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) {
    argument = va_arg(list, long);
  }
  va_end(list);
  if (number == SYS_futex) {
    return Futex(reinterpret_cast<int*>(arguments[0]), static_cast<int>(arguments[1]),
                 static_cast<int>(arguments[2]), reinterpret_cast<const timespec*>(arguments[3]));
  }
  const long result = Direct(number, arguments[0], arguments[1], arguments[2], arguments[3],
                             arguments[4], arguments[5]);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

void _exit(int status) {
  Machine* const machine = Fibers::Get().machine();
  if (machine != nullptr && machine->on_exit) {
    machine->on_exit();
    for (;;) {
      Fibers::Get().SleepUntil(kNever);
    }
  }
  Direct(SYS_exit_group, status);
  __builtin_unreachable();
}

}  // extern "C"
