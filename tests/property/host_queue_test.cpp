// The queue of launches of a device: CUDA lets a host be about 1,024 launches ahead, then it waits. What that does to
// the time of a program, and that it does nothing to the recipes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"

namespace foreflow::simulate::host_queue_test {
namespace {

constexpr size_t kQueue = 1024;

struct Kernel {
  double issue, duration;
};

// When the last kernel ends if the host may be `queue` launches ahead of the device.
double end_of(const std::vector<Kernel>& kernels, size_t queue) {
  std::vector<double> ends(kernels.size());
  double host = 0, device = 0;
  for (size_t k = 0; k < kernels.size(); ++k) {
    if (k >= queue) host = std::max(host, ends[k - queue]);
    host += kernels[k].issue;
    device  = std::max(device, host) + kernels[k].duration;
    ends[k] = device;
  }
  return device;
}

// Whether the host needs longer to issue some run of kernels l .. k than the device needs for those before k of it and
// the queue - 1 before l. Only then it comes late where it waited for the queue.
bool may_starve(const std::vector<Kernel>& kernels, size_t queue) {
  double most = 0;  // of c(l) + .. + c(k) - (d(l - queue + 1) + .. + d(k - 1)), over all l up to k
  bool any    = false;
  for (size_t k = queue; k < kernels.size(); ++k) {
    double before = 0;
    for (size_t j = k - queue + 1; j < k; ++j) before += kernels[j].duration;
    most = std::max(any ? most - kernels[k - 1].duration : 0 - before, -before) + kernels[k].issue;
    if (most > 1e-12) return true;
    any = true;
  }
  return false;
}

TEST(QueueOfLaunches, ChangesNothingUnlessTheHostIsSlowForLongerThanTheQueueLasts) {
  std::mt19937_64 random(17);
  size_t starved = 0, unchanged = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Kernel> kernels;
    for (int phase = 0; phase < 4; ++phase) {  // of long and of short kernels
      const double issue = std::uniform_real_distribution(0.1, 2.0)(random), duration = random() % 2 == 0 ? 3.0 : 0.2;
      for (size_t k = random() % 60; k > 0; --k) kernels.push_back({issue, duration});
    }
    const bool same = std::abs(end_of(kernels, 16) - end_of(kernels, kernels.size() + 1)) < 1e-9;
    EXPECT_TRUE(same || may_starve(kernels, 16)) << "round " << round;
    (same ? unchanged : starved) += 1;
  }
  EXPECT_GT(starved, 0U);
  EXPECT_GT(unchanged, 0U);
}

// Two thousand kernels of a millisecond, then as many of a microsecond, which the host issues in 10 us: without a limit
// it is two seconds ahead, enough for all. With it it is 1,024 kernels ahead, of which those that are left take longer
// to issue than to run.
TEST(QueueOfLaunches, CostsTimeWhereManyShortKernelsFollowLongOnes) {
  std::vector<Kernel> kernels(2000, {10e-6, 1e-3});
  EXPECT_DOUBLE_EQ(end_of(kernels, kQueue), end_of(kernels, 5000));  // long kernels alone
  kernels.insert(kernels.end(), 200'000, {10e-6, 1e-6});
  EXPECT_GT(end_of(kernels, kQueue), end_of(kernels, 500'000) + 0.5);
}

// The kernels of a device, with messages, which take their issue and, to be on the safe side, no time.
std::vector<Kernel> kernels_of(const stream::Program& program, const stream::Stream& stream) {
  std::vector<Kernel> kernels;
  for (const stream::Item& item : stream.items) {
    if (item.instance >= 0) {
      kernels.push_back({nth(program.communications, item.event).issue.all.value(), 0});
      continue;
    }
    const stream::Compute& event = nth(program.computes, item.event);
    for (const stream::Part& part : event.parts)
      kernels.push_back({event.issue.all.value() / static_cast<double>(event.parts.size()), part.duration.value()});
  }
  return kernels;
}

TEST(QueueOfLaunches, ChangesNoRecipe) {
  const std::filesystem::path folder = std::filesystem::path(FOREFLOW_SOURCE_DIR) / "scenarios" / "frameworks";
  for (const char* name : {"gpt2_xl_ddp", "llama3_8b_fsdp", "llama3_8b_torchtitan", "gpt_22b_megatron_deepspeed",
                           "llama3_70b_megatron_lm"}) {
    const auto scenario = scenario::load_file((folder / (std::string(name) + ".json")).string());
    const auto outcome  = scenario::run(scenario);
    const auto& streams = outcome.program.streams;
    const auto kernels  = kernels_of(outcome.program, streams[0]);
    ASSERT_GT(kernels.size(), kQueue) << name;
    EXPECT_DOUBLE_EQ(end_of(kernels, kQueue), end_of(kernels, kernels.size() + 1)) << name;
  }
}

}  // namespace
}  // namespace foreflow::simulate::host_queue_test
