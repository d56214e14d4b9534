// Ctrl-C as a question that long work asks, so that it can end with what it has.
#pragma once

#include <csignal>

namespace foreflow::cli {

// As long as it lives, the first SIGINT or SIGTERM does not end the process, but is noted; a second one ends it,
// unless it comes within a second of the first. Child processes that are forked meanwhile note them, too. A signal that
// is ignored stays ignored. Once one has been noted, they stay so until the process ends.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&)            = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  bool asked() const;

 private:
  struct sigaction old_interrupt_ {
  }, old_terminate_{};
};

}  // namespace foreflow::cli
