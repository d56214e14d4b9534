// A program in a process group of its own that ends when we end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::execute {

struct Ended {
  int exit_code      = 0;  // 128 + the signal that ended it; 127: there is no such program
  bool never_started = false;
};

// Runs words[0], found in PATH, with its output in the file `log` and nothing on stdin. When `started` is still false
// after `patience`, it and all that it started are ended.
Ended run_program(const std::vector<std::string>& words, const std::string& log, const std::function<bool()>& started,
                  Seconds patience);

}  // namespace foreflow::execute
