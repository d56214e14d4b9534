#include "cli/interruption.h"

namespace foreflow::cli {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t asked_to_end = 0;

void note(int signal) {
  asked_to_end = 1;
  std::signal(signal, SIG_DFL);
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

Interruption::Interruption() : old_interrupt_(notice(SIGINT)), old_terminate_(notice(SIGTERM)) { asked_to_end = 0; }

Interruption::~Interruption() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool Interruption::asked() const { return asked_to_end != 0; }

}  // namespace foreflow::cli
