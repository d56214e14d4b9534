// The text of a profile of SimGrid: lines of a time and a value, and how it repeats. What follows in a line is a
// remark.
#pragma once

#include <string>

#include "foreflow/platform/declared.h"

namespace foreflow::platform::zones {

struct Steps {
  std::vector<Profile::Step> steps;
  Seconds period{0};  // 0: they happen once
};

// `period`: 0 or the attribute of a <trace>; PERIODICITY and LOOPAFTER in the text replace it. Throws Error("", ...) at
// a malformed line, at times that go back, and at stochastic profiles.
Steps read_profile(const std::string& text, double period);

// Reads the file `name`, relative to the folder of the platform file `beside` or to those of `folders`. Throws
// Error("", ...) when there is no such file.
std::string read_profile_file(const std::string& name, const std::string& beside,
                              const std::vector<std::string>& folders);

}  // namespace foreflow::platform::zones
