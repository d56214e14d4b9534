// Timelines: when each item of a program ran. The last of the three values (ir::Module -> stream::Program ->
// stream::Timeline); an engine makes it from a Program and a Platform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/stream/program.h"

namespace foreflow::stream {

// When an item ran. A communication starts for all members when the last of them arrives and ends for all at the same
// time. The exception is a hand-over (is_hand_over below): the first stream signals and continues, the second one waits
// for the signal, and both records have no length. What computes lose to collectives beside them lengthens the last of
// them before the wait where they lose it, and moves the signals between the two behind it; where the stream took time
// for something else in between, the record of the wait lasts for it.
struct Record {
  Seconds start, end;
};

// The time in which the host of a stream issues an item, and the time for which the stream waits for that.
struct Issued {
  Seconds from, until;  // the host issues the item
  Seconds idle;         // the stream does nothing before the item because it is not issued yet
  Seconds inside;       // the stream does nothing between kernels of the item because they are not issued yet
};

struct LinkUse {
  Bytes bytes;   // carried
  Seconds busy;  // time with at least one flow on it
};

// A flow loads `link` with `weight` bytes for each byte of its communication.
struct Crossing {
  int32_t link;   // platform::Platform::links()
  double weight;  // sum over the messages that cross it, each as often as it does, of their share of the bytes
};

// The traffic of one phase of a communication: all its messages, moving at one common pace. With the couplings `credit`
// and `stepwise`, whose hops have their own paces, the traffic of one hop.
struct Flow {
  int32_t instance;  // index into Program::instances
  int32_t phase;     // index of the phase within its communication
  int32_t load;      // index into Timeline::loads: the links that it crosses
  Seconds start, end;
  Seconds alone;  // duration with the network to itself; end - start - alone is lost to contention
};

// The rate of a flow from the time `from` until its next pace or its end, in bytes of the communication per second. A
// link that it crosses with weight w carries w times this rate.
struct Pace {
  Seconds from;
  BytesPerSecond rate;
};

// The time of rounds that a run leaves out (simulate::RunOfRounds), for one device.
struct TimeLeftOut {
  Seconds until;  // what begins before is so much later in the run, as the device begins later
  Seconds begins;
  Seconds behind;  // what begins later is so much earlier in the run

  // When that which begins at `time` in the run does so in all rounds.
  Seconds in_all(Seconds time) const { return time < until ? time - begins : time + behind; }
};

struct Timeline {
  Seconds makespan;                          // end of the last record
  std::vector<std::vector<Record>> records;  // [stream][item], as in Program::streams
  std::vector<LinkUse> links;                // as in platform::Platform::links(); background traffic is not counted
  std::vector<Flow> flows                  = {};  // by instance, then phase; phases that move no bytes have none
  std::vector<std::vector<Crossing>> loads = {};  // each by link number
  // By instance: the algorithm that ran, never `auto`; null: none ran. Empty when the engine does not report it.
  std::vector<const collective::AlgorithmDef*> algorithms = {};
  std::vector<std::vector<Pace>> paces                    = {};  // [flow]; empty unless simulate::Options::observe
  // In a folded program, by link: the first link of its class, whose links carry the same at the same time. Flows are
  // recorded for the first links only. Empty: flows are recorded for every link.
  std::vector<int32_t> like_link          = {};
  std::vector<std::vector<Issued>> issued = {};  // as `records`; empty where issuing costs no time
  // By device, an index into Program::devices; empty: nothing is left out.
  std::vector<TimeLeftOut> left_out = {};
};

// True for a hand-over: a send between two streams of one device, which moves no data and takes no time.
bool is_hand_over(const Program& program, const Instance& instance);

// The `.timeline` text: one line per item, for golden tests.
std::string print(const Program& program, const Timeline& timeline);

}  // namespace foreflow::stream
