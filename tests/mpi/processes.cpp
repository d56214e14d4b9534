#include "mpi/processes.h"

#include <cstdlib>
#include <filesystem>

#include "foreflow/base/text.h"
#include "foreflow/execute/arguments.h"
#include "foreflow/execute/plan.h"

namespace foreflow::test {

std::string missing_for_mpi() {
  if (!std::filesystem::exists(FOREFLOW_RANK))
    return "foreflow-rank was not built: Open MPI's headers are missing (Debian: libopenmpi-dev)";
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (std::filesystem::exists(std::filesystem::path(folder) / "mpirun")) return "";
  }
  return "there is no mpirun here (Debian: openmpi-bin)";
}

std::vector<execute::Execution> run_processes(const std::vector<execute::Task>& tasks, execute::Options options) {
  std::vector<execute::Task> folded;
  for (const execute::Task& task : tasks) folded.push_back({execute::fold_streams(task.module), task.arguments});
  options.rank_program = FOREFLOW_RANK;
  return execute::run_mpi(folded, options);
}

execute::Task with_random_arguments(ir::Module module, uint64_t seed) {
  execute::Task task{std::move(module), {}};
  const ir::Function& entry = task.module.entry();
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    task.arguments.push_back(
        execute::random_value(entry.values[i].name, *entry.values[i].annotation, 2, random, "test"));
  }
  return task;
}

}  // namespace foreflow::test
