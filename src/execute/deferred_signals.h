// Ctrl-C and the like, put off until what has to be removed is removed.
#pragma once

#include <csignal>

namespace foreflow::execute {

// As long as it lives, the signals that ask a process to end (SIGHUP, SIGINT, SIGTERM, unless they are ignored) wait.
// They do their work when it is destroyed: by default they end the process.
class DeferredSignals {
 public:
  DeferredSignals();
  DeferredSignals(const DeferredSignals&)            = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;
  ~DeferredSignals();

  // True when a deferred signal is pending.
  bool pending() const;

 private:
  sigset_t deferred_{}, before_{};
};

}  // namespace foreflow::execute
