// What happened when: the third of the three values, made by either engine from a Program on a Platform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/stream/program.h"

namespace foreflow::stream {

// When an item ran. A communication starts for all its members when the last of them arrives. The exception are
// hand-overs (is_hand_over below): the first stream signals and goes on, the second one waits for the signal; both
// records have no length.
struct Record {
  Seconds start, end;
};

struct LinkUse {
  Bytes bytes;   // carried
  Seconds busy;  // time with at least one flow on it
};

// A flow loads `link` with `weight` bytes for each byte of its communication.
struct Crossing {
  int32_t link;   // platform::Platform::links()
  double weight;  // sum of the shares of the messages that cross it, as often as they do
};

// What one phase of a communication had under way on the network: all its messages together, at one pace; or, where
// hops move at paces of their own (couplings `credit` and `stepwise`), one hop.
struct Flow {
  int32_t instance;  // Program::instances
  int32_t phase;     // the how manieth of its communication's phases
  int32_t load;      // Timeline::loads: the links that it crosses
  Seconds start, end;
  Seconds
      alone;  // duration of the phase's flows with the network to themselves; end - start - alone is lost to contention
};

// From `from` on, until the next pace or the end of the flow: bytes of the communication per second. A link of weight w
// carries w times as much.
struct Pace {
  Seconds from;
  BytesPerSecond rate;
};

struct Timeline {
  Seconds makespan;                          // end of the last record
  std::vector<std::vector<Record>> records;  // [stream][item], as in Program::streams
  std::vector<LinkUse> links;                // as in platform::Platform::links(); background traffic is not counted
  std::vector<Flow> flows                  = {};  // by instance, then phase; phases that move no bytes have none
  std::vector<std::vector<Crossing>> loads = {};  // each by link number
  // By instance: what ran, never `auto`; null: no algorithm. Empty where nobody needs to know.
  std::vector<const collective::AlgorithmDef*> algorithms = {};
  std::vector<std::vector<Pace>> paces                    = {};  // [flow]; empty unless simulate::Options::observe
  // Of a folded program, by link: the first link of those that carry the same at the same time, itself included; flows
  // are told of these only. Empty: flows are told of every link.
  std::vector<int32_t> like_link = {};
};

// A send between two streams of one device that takes no time of its own: passing on what is there already.
bool is_hand_over(const Program& program, const Instance& instance);

// The `.timeline` text: one line an item, for golden tests.
std::string print(const Program& program, const Timeline& timeline);

}  // namespace foreflow::stream
