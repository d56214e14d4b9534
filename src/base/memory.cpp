#include "foreflow/base/memory.h"

#include <fmt/core.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "foreflow/base/error.h"

// A function of tcmalloc; null where it is not linked.
extern "C" __attribute__((weak)) void MallocExtension_ReleaseFreeMemory();

namespace foreflow {
namespace {

constexpr double kSmall = 16.0 * 1024 * 1024;

// The number of a file that holds one. Nothing for a file that is not there, and for "max".
std::optional<double> first_number(const char* path) {
  std::ifstream file(path);
  double number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The number behind a word at the start of a line: "MemAvailable:   16000 kB".
std::optional<double> number_after(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string word; file >> word; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    double number = 0;
    if (word == key && file >> number) return number;
  }
  return std::nullopt;
}

struct ControlGroup {
  const char *limit, *used, *statistics;
};

// Control groups of version 2 and version 1, as mounted inside a container.
constexpr ControlGroup kGroups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat"}};

// Cached files count as used, but give way.
double left_in(const ControlGroup& group) {
  const auto limit = first_number(group.limit), used = first_number(group.used);
  if (!limit || !used) return INFINITY;
  return *limit - *used + number_after(group.statistics, "inactive_file").value_or(0);
}

double left_of_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INFINITY;
  const auto pages = first_number("/proc/self/statm");  // the first number: all that is mapped
  if (!pages) return INFINITY;
  return static_cast<double>(limit.rlim_cur) - *pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Bytes available_memory() {
  constexpr double kKibi = 1024;
  double left            = number_after("/proc/meminfo", "MemAvailable:").value_or(INFINITY) * kKibi;
  for (const ControlGroup& group : kGroups) left = std::min(left, left_in(group));
  return Bytes(std::max(std::min(left, left_of_address_space()), 0.0));
}

void check_memory(Bytes size, const std::function<std::string()>& name) {
  if (size.value() < kSmall) return;
  const Bytes left = available_memory();
  if (size <= left) return;
  throw MemoryError(fmt::format("{} takes {}; {} are available here", name(), format(size), format(left)));
}

void release_free_memory() {
  ::malloc_trim(0);
  if (MallocExtension_ReleaseFreeMemory != nullptr) MallocExtension_ReleaseFreeMemory();
}

}  // namespace foreflow
