#include "cli/timing.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

namespace foreflow::cli {
namespace {

const auto kStart = std::chrono::steady_clock::now();

int64_t peak_rss(int who) {
  rusage usage{};
  getrusage(who, &usage);
  constexpr int64_t kKiB = 1024;
  return usage.ru_maxrss * kKiB;
}

}  // namespace

void add_timing(Json& result) {
  result.set("wall_time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - kStart).count());
  result.set("peak_rss_bytes", std::max(peak_rss(RUSAGE_SELF), peak_rss(RUSAGE_CHILDREN)));
}

}  // namespace foreflow::cli
