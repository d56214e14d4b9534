// CPU time of this process and of its children that have ended: engines run in children.
#pragma once

#include <benchmark/benchmark.h>
#include <sys/resource.h>

namespace foreflow::bench {

inline double cpu_seconds() {
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      total += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return total;
}

// For benchmarks with UseManualTime().
template <class Work>
void time_cpu(benchmark::State& state, const Work& work) {
  for (auto _ : state) {
    const double before = cpu_seconds();
    work();
    state.SetIterationTime(cpu_seconds() - before);
  }
}

}  // namespace foreflow::bench
