// The job of a process and its answer, exchanged as files between `foreflow` and `foreflow-rank`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "execute/rank_run.h"
#include "foreflow/execute/execute.h"

namespace foreflow::execute {

// The part of one program for one process.
struct Job {
  int rank = 0;
  std::vector<std::string> devices;  // of every process: "D1", "D2"
  RankProgram program;
  std::vector<ir::Array> arguments;
  int iterations = 1, warmup = 0;
};
std::string to_bytes(const Job& job);
Job job_from(std::string_view bytes);

// A process's results and times.
struct Answer {
  std::vector<ir::Array> results;
  std::vector<cost::Measurement> ops;
  std::vector<std::vector<Seconds>> communications;
  std::vector<IterationTimes> iterations;
};
std::string to_bytes(const std::vector<ir::Array>& results, const Log& log, int rank);
Answer answer_from(std::string_view bytes);

// The names of the files in their folder.
std::string job_file(size_t program, int rank);
std::string answer_file(size_t program, int rank);
std::string failure_file(int rank);          // the where and the problem of an Error, packed
constexpr const char* kStarted = "started";  // written when all processes have started

// Runs a job: warming up, then the timed iterations, each started by all processes together.
std::string run_job(const Job& job, const Exchange& exchange);

}  // namespace foreflow::execute
