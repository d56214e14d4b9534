// A plan: who sends which box to whom, in which order. An immutable value that strategies make (strategy.h), that tests
// prove on sets of elements, and that src/lower/reshard.cpp turns into a stream::Program.
//
// How a plan becomes events of streams, or ops of DistIR:
//   1. Each job is one communication among `devices`, in rank order, of `bytes` as collective::Kind defines them, by
//      the algorithm of the job: stream::Communication, or in DistIR Send, MPIBroadcast and MPIAllgather.
//   2. Every device executes its jobs in the order of Plan::jobs. This alone makes the plan correct and free of
//      deadlocks: a device sends on only what it had, or received in an earlier job of the list.
//   3. `after` are jobs that must end before this one starts although no device may be common: they keep a port for one
//      unit task at a time (equation 3 of the paper). As events, they are sends of fixed duration 0 from a stream that
//      was in the earlier job to one that is in this job. They change times, never values; a program that cannot
//      express them leaves them out and lets the ports share.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/collective/collective.h"
#include "foreflow/reshard/ports.h"
#include "foreflow/reshard/unit_tasks.h"

namespace foreflow::reshard {

struct Job {
  int task;                  // index into UnitTasks::tasks; -1: it concerns a whole tile
  int move;                  // index into UnitTasks::moves
  collective::Kind kind;     // send, broadcast, all_gather
  std::vector<int> devices;  // in rank order: rank 0 sends, or is the root
  // Send and broadcast: the one box that moves. All-gather: what each rank contributes; afterwards all have all.
  std::vector<Box> boxes;
  Bytes bytes;             // as collective::Kind defines them
  int chunks = 0;          // of a broadcast; 0: the algorithm chooses
  std::vector<int> after;  // indices of earlier jobs
};

// The unit tasks in the order in which a balance (balance.h) starts them, with the times it expects.
struct Turn {
  int task;                    // index into UnitTasks::tasks
  int sender;                  // index into Ports::ports
  std::vector<int> receivers;  // indices into Ports::ports
  Seconds start, end;          // expected when ports alone count
};

struct Plan {
  std::vector<Job> jobs;
  std::vector<Turn> turns;  // empty for strategies that do not order unit tasks
  Seconds expected;         // the end of the last turn
  bool proven = false;      // the order is optimal among those of equations 1 to 3
};

// The name of the DistIR op or of the collective algorithm that a kind of job uses: "chain" for broadcasts.
const collective::AlgorithmDef& algorithm_of(const Job& job);

}  // namespace foreflow::reshard
