// Predicts a scenario: how long an iteration takes, whether it fits, where the time goes.
//   predict SCENARIO.json [SETTING...]       predict gpt2_xl_dgx2.json strategy.tp=8 strategy.dp=1
#include <algorithm>
#include <iostream>

#include "foreflow/scenario/run.h"

namespace {

using namespace foreflow;

void print(const report::Summary& summary) {
  std::cout << summary.job.name << " on " << summary.platform << "\n"
            << "iteration   " << format(summary.iteration_time) << "\n"
            << "throughput  " << summary.samples_per_second << " samples/s\n";

  Bytes peak;
  for (const report::DeviceSummary& device : summary.devices) peak = std::max(peak, device.peak_memory);
  std::cout << "memory      " << format(peak) << (summary.fits ? ", fits\n" : ", does not fit\n");

  std::cout << "longest ops";
  for (size_t i = 0; i < std::min<size_t>(3, summary.ops.size()); ++i)
    std::cout << (i > 0 ? ", " : " ") << summary.ops[i].name << " " << format(summary.ops[i].seconds);
  std::cout << "\n";
}

}  // namespace

int main(int count, char** words) try {
  if (count < 2) {
    std::cerr << "usage: predict SCENARIO.json [SETTING...]\n";
    return 2;
  }
  const std::vector<std::string> settings(words + 2, words + count);
  print(scenario::run(scenario::load_file(words[1], settings)).summary);
  return 0;
} catch (const Error& error) {
  std::cerr << "predict: error: " << error.what() << "\n";
  return 1;
}
