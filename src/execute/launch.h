// A program that ends when we end, however that is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::execute {

struct Ended {
  int exit_code      = 0;  // 128 + the signal that ended it; 127: there is no such program
  bool never_started = false;
  bool interrupted   = false;
};

struct Launch {
  std::vector<std::string> words;  // words[0] is found in PATH
  std::string log;                 // the file of its output; nothing is on its stdin
  std::function<bool()> started;
  Seconds patience;                    // when `started` is still false after it, the program is ended
  std::function<bool()> interrupted;   // true: the program is ended
  std::function<void()> remove_files;  // runs in the guardian when this process was killed
};

// Runs the program under a guardian, a process in a session of its own: it sees when this process is gone and ends the
// program and all that it started, those too that the program left behind. No process of them outlives the call.
Ended run_program(const Launch& launch);

}  // namespace foreflow::execute
