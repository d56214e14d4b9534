#include "execute/deferred_signals.h"

namespace foreflow::execute {
namespace {

constexpr int kEnding[] = {SIGHUP, SIGINT, SIGTERM};

}  // namespace

DeferredSignals::DeferredSignals() {
  ::sigemptyset(&deferred_);
  for (const int signal : kEnding) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::sigaddset(&deferred_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &deferred_, &before_);
}

DeferredSignals::~DeferredSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool DeferredSignals::pending() const {
  sigset_t waiting{};
  ::sigpending(&waiting);
  for (const int signal : kEnding) {
    if (::sigismember(&deferred_, signal) == 1 && ::sigismember(&waiting, signal) == 1) return true;
  }
  return false;
}

}  // namespace foreflow::execute
