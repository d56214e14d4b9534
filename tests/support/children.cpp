#include "support/children.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>

namespace foreflow::test {

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), gone)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

}  // namespace foreflow::test
