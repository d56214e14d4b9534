#include "cli/interruption.h"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace foreflow::cli {
namespace {

constexpr int64_t kNever = -1;

// When the first signal came, in nanoseconds of the monotonic clock. Global, as a signal handler can reach nothing
// else.
std::atomic<int64_t> asked_at = kNever;
static_assert(std::atomic<int64_t>::is_always_lock_free);

// `timeout` sends its signal twice, to the process and to its group: only one that comes later is a second wish.
void note(int signal) {
  constexpr int64_t kSecond = 1'000'000'000;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t time = now.tv_sec * kSecond + now.tv_nsec;
  int64_t first      = kNever;
  if (asked_at.compare_exchange_strong(first, time) || time - first < kSecond) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Notes `signal` unless it is ignored; returns what was done with it before.
struct sigaction notice(int signal) {
  struct sigaction old {};
  ::sigaction(signal, nullptr, &old);
  if (old.sa_handler == SIG_IGN) return old;
  struct sigaction noted {};
  noted.sa_handler = note;
  ::sigaction(signal, &noted, nullptr);
  return old;
}

}  // namespace

Interruption::Interruption() : old_interrupt_(notice(SIGINT)), old_terminate_(notice(SIGTERM)) { asked_at = kNever; }

// A command that was asked to end is about to end. The second of two signals must not take its answer away now.
Interruption::~Interruption() {
  if (asked()) return;
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool Interruption::asked() const { return asked_at != kNever; }

}  // namespace foreflow::cli
