// Programs on real processes, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foreflow/execute/execute.h"

namespace foreflow::test {

// Empty when there is everything that `--ranks mpi` needs; else what is missing.
std::string missing_for_mpi();

// The tasks as processes, their modules with one stream a device.
std::vector<execute::Execution> run_processes(const std::vector<execute::Task>& tasks, execute::Options options = {});

// Seeded numbers for the parameters of the entry.
execute::Task with_random_arguments(ir::Module module, uint64_t seed);

}  // namespace foreflow::test

#define FOREFLOW_MPI_OR_SKIP() \
  if (const std::string missing = ::foreflow::test::missing_for_mpi(); !missing.empty()) GTEST_SKIP() << missing
