// What happened when: the third of the three values, made by either engine from a Program on a Platform.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/stream/program.h"

namespace foreflow::stream {

struct Record {
  Seconds start, end;
};

struct LinkUse {
  Bytes bytes;   // carried
  Seconds busy;  // time with at least one flow on it
};

struct Timeline {
  Seconds makespan;                          // end of the last record
  std::vector<std::vector<Record>> records;  // [stream][item], as in Program::streams
  std::vector<LinkUse> links;                // as in platform::Platform::links()
};

// The `.timeline` text: one line an item, for golden tests.
std::string print(const Program& program, const Timeline& timeline);

}  // namespace foreflow::stream
