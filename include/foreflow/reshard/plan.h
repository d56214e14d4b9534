// A plan: who sends which box to whom, in which order. An immutable value that strategies make (strategy.h), that tests
// prove on sets of elements, and that src/lower/reshard.cpp turns into a stream::Program.
//
// How a plan becomes events of streams, or ops of DistIR:
//   1. Each job is one communication among `devices`, in rank order, of `bytes` as collective::Kind defines them, by
//      the algorithm of the job: stream::Communication, or in DistIR Send, MPIBroadcast and MPIAllgather.
//   2. Every device executes its jobs in the order of Plan::jobs. This alone makes the plan correct and free of
//      deadlocks: a device sends on only what it had, or received in an earlier job of the list.
//   3. `waits` keep a port for one unit task at a time (equation 3 of the paper): an earlier job must have ended at a
//      device before this one starts at another, although the two jobs may have no device in common. As events, they
//      are sends of fixed duration 0 between the streams of the two devices. They change times, never values; a program
//      that cannot express them leaves them out and lets the jobs share the port.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/collective/collective.h"
#include "foreflow/reshard/ports.h"
#include "foreflow/reshard/unit_tasks.h"

namespace foreflow::reshard {

struct Wait {
  int job;   // an earlier one
  int from;  // its device that uses the port
  int to;    // the device of the waiting job that uses the port next
};

struct Job {
  int task;                  // index into UnitTasks::tasks; -1: it concerns parts of several
  int move;                  // index into UnitTasks::moves
  collective::Kind kind;     // send, broadcast, all_gather
  std::vector<int> devices;  // in rank order: rank 0 sends, or is the root
  // Send and broadcast: the one box that moves. All-gather: what each rank contributes; afterwards all have all.
  std::vector<Box> boxes;
  Bytes bytes;                  // as collective::Kind defines them; of a signal, one
  int chunks              = 0;  // of a broadcast; 0: the algorithm chooses
  std::vector<Wait> waits = {};
};

// A unit task that crosses between hosts, in the order in which a balance starts them, with the times that it expects.
struct Turn {
  int task;                    // index into UnitTasks::tasks
  int sender;                  // index into Ports::ports
  std::vector<int> receivers;  // likewise
  Seconds start, end;          // expected when only ports count
};

struct Plan {
  std::vector<Job> jobs;
  std::vector<Turn> turns;  // empty for strategies that do not order unit tasks
  Seconds expected{0};      // the end of the last turn, or of the last copy inside a host
  Seconds bound{0};         // no order and choice of senders ends earlier
  bool proven = false;      // and none ends before `expected`, which is above 0
};

// The algorithm of a job: broadcasts are chains, which pass chunks from device to device.
const collective::AlgorithmDef& algorithm_of(const Job& job);

}  // namespace foreflow::reshard
