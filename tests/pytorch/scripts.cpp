#include "pytorch/scripts.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "foreflow/base/text.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/lower/project.h"
#include "foreflow/lower/pytorch.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"

namespace foreflow::test {
namespace {

namespace fs = std::filesystem;

void write_array(const std::string& path, const ir::Array& array) {
  if (!array.is_tuple()) return onnx::write_tensor_file(path + ".pb", {"", array});
  for (size_t i = 0; i < array.elements().size(); ++i) write_array(path + "." + std::to_string(i), array.elements()[i]);
}

void write_arrays(const fs::path& folder, const std::vector<std::string>& names, const std::vector<ir::Array>& arrays) {
  std::map<std::string, bool> is_tuple;
  for (size_t i = 0; i < names.size(); ++i) is_tuple.emplace(names[i], arrays[i].is_tuple());
  const auto stems = lower::file_stems(is_tuple);
  for (size_t i = 0; i < names.size(); ++i) write_array((folder / stems.at(names[i])).string(), arrays[i]);
}

}  // namespace

std::string find_python() {
  std::vector<std::string> candidates{"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv("FOREFLOW_PYTHON")) candidates = {chosen};
  const std::string has_torch = "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)";
  for (const std::string& candidate : candidates) {
    if (run_python(candidate, {"-c", has_torch}).exit_code == 0) return candidate;
  }
  return "";
}

size_t write_case(const std::string& folder, const ir::Module& module, const std::vector<ir::Array>& arguments) {
  const size_t entry = module.functions.size() - 1;
  const auto programs =
      lower::project(module, interpret::interpret_mixed(module, entry), ops::table(), lower::Grain::gpu);
  const fs::path inputs = fs::path(folder) / "example/inputs", outputs = fs::path(folder) / "example/outputs";
  fs::create_directories(inputs);
  fs::create_directories(outputs);
  write_file((fs::path(folder) / "run.py").string(), lower::pytorch_script(programs, "test"));
  const ir::Function& function = module.entry();
  std::vector<std::string> parameters, names;
  for (size_t i = 0; i < arguments.size(); ++i)
    parameters.push_back(lower::port_name(function, static_cast<ir::ValueId>(i)));
  for (const ir::ValueId id : function.results) names.push_back(lower::port_name(function, id));
  write_arrays(inputs, parameters, arguments);
  write_arrays(outputs, names, interpret::evaluate(module, entry, arguments));
  return programs.size();
}

PythonResult run_python(const std::string& python, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {python};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  const TemporaryFolder captured;
  const std::string out = captured / "out";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child      = 0;
  const int failed = posix_spawnp(&child, python.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return {127, std::system_category().message(failed)};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out)};
}

}  // namespace foreflow::test
