// Scenarios that run for real on this machine: `calibrate --here` and `validate --here`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "foreflow/execute/pytorch.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::cli {

// A point of a scenario, with one value of each of its axes.
struct HerePoint {
  std::string name;  // "GPT on this machine {"strategy.pp":2}"
  scenario::Scenario scenario;
};

// Every point of a scenario file.
std::vector<HerePoint> points_of(const std::string& file, const std::vector<std::string>& settings);
// Every point of the scenarios in scenarios/here, for machines about which nothing is known.
std::vector<HerePoint> standard_points();

struct HereOptions {
  std::string runner;  // "pytorch", "mpi"; empty: the first of them that this machine has
  std::string python;  // empty: execute::find_pytorch()
  int iterations = 10, warmup = 3;
  double timeout = 300;  // seconds: for a PyTorch program, or for a process of MPI that waits for another
};

// The program that runs scenarios on this machine: PyTorch, or the reference executor under Open MPI.
struct Runner {
  std::string name;      // "PyTorch (/usr/bin/python3)"
  bool has_timelines;    // whether its runs have Execution::timeline
  bool takes_arguments;  // whether it runs a task with the task's arguments
  std::function<execute::InTurn(const execute::Task&)> run;
};

// The program of a point, one stream per device, with random arguments if the runner takes any. Throws Error when it
// needs more than 64 processes.
execute::Task task_of(const scenario::Scenario& scenario, const Runner& runner);

// Throws Error when the chosen one is not installed, or when neither is.
Runner runner_of(const HereOptions& options);

// The options of both commands.
void add_here_options(CLI::App& command, HereOptions& options);

}  // namespace foreflow::cli
