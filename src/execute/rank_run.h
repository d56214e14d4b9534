// Runs one process's part of a program: its ops in order, with their times.
//
// No program can deadlock:
//   1. Every process reaches its communications in the order of the whole program, because its own program is the whole
//      program without the ops of other devices.
//   2. Consider the first communication in that order that has not ended. Each of its members has finished everything
//      before it, so it has arrived or will arrive after its current computes.
//   3. A communication at which all members have arrived ends, because each member posts all its receives and sends
//      before it waits for any.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "execute/meet.h"
#include "foreflow/ir/op_def.h"

namespace foreflow::execute {

struct OpTimes {
  std::string op, dtype;
  ir::Work work;
  std::vector<Seconds> times;
};

struct IterationTimes {
  Seconds total, compute, communication, wait;  // wait: in communications, for the last member to arrive
};

struct Log {
  std::map<std::string, OpTimes> ops;                // by signature
  std::vector<std::vector<Seconds>> communications;  // as RankProgram::communications; times without the wait
  std::vector<IterationTimes> iterations;
};

class RankRun {
 public:
  // `program` and `exchange` must outlive this object.
  RankRun(const RankProgram& program, int rank, const Exchange& exchange);

  // The results of the entry. Adds to the log, or not (warming up). Throws Error naming function and op.
  enum class Timing { off, on };
  std::vector<ir::Array> iterate(const std::vector<ir::Array>& arguments, Timing timing);

  const Log& log() const { return log_; }

 private:
  // The position of an op in the program, with the log row of its times.
  struct Site {
    std::vector<ir::Type> inputs;  // when the row was found
    OpTimes* row = nullptr;
  };

  std::vector<ir::Array> run(size_t number, std::vector<ir::Array> arguments);
  std::vector<ir::Array> step(const ir::Function& function, const ir::Op& op, const std::vector<ir::Array>& values);
  std::vector<ir::Array> compute(const ir::Op& op, std::span<const ir::Array* const> operands);
  std::vector<ir::Array> meet_others(const ir::Op& op, std::span<const ir::Array* const> operands);
  void note(const ir::Op& op, Site& site, Seconds time);

  const RankProgram& program_;
  const int rank_;
  const Exchange& exchange_;
  std::vector<std::vector<std::vector<ir::ValueId>>> dead_after_;  // [function][op]
  std::vector<std::vector<Site>> sites_;                           // [function][op]
  Log log_;
  Timing timing_             = Timing::off;
  size_t next_communication_ = 0;
  IterationTimes now_;
  // Data of the op that was computed last.
  std::vector<ir::Type> inputs_, outputs_;
};

}  // namespace foreflow::execute
