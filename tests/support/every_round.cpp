#include "support/every_round.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "foreflow/report/memory.h"

namespace foreflow::test {
namespace {

constexpr double kRounding = 1e-9;  // of an iteration

void expect_same_devices(const report::Summary& few, const report::Summary& all) {
  const Seconds time = all.iteration_time;
  ASSERT_EQ(few.devices.size(), all.devices.size());
  for (size_t d = 0; d < all.devices.size(); ++d) {
    const report::DeviceSummary &one = few.devices[d], &other = all.devices[d];
    EXPECT_NEAR((one.busy - other.busy) / time, 0, kRounding) << d;
    EXPECT_NEAR((one.idle - other.idle) / time, 0, kRounding) << d;
    EXPECT_NEAR((one.compute - other.compute) / time, 0, kRounding) << d;
    EXPECT_NEAR((one.communication - other.communication) / time, 0, kRounding) << d;
    EXPECT_NEAR((one.host_idle - other.host_idle) / time, 0, kRounding) << d;
    EXPECT_EQ(one.peak_memory, other.peak_memory) << d;
  }
}

void expect_same_links(const report::Summary& few, const report::Summary& all) {
  std::map<std::string_view, const report::LinkSummary*> links;  // by the first of each class
  for (const report::LinkSummary& link : all.links) links.emplace(link.name, &link);
  for (const report::LinkSummary& link : few.links) {
    const auto found = links.find(link.name);
    if (found == links.end()) continue;
    EXPECT_NEAR((link.busy - found->second->busy) / all.iteration_time, 0, kRounding) << link.name;
    EXPECT_NEAR(link.bytes / found->second->bytes, 1, kRounding) << link.name;
  }
}

}  // namespace

scenario::Outcome with_every_round(scenario::Scenario scenario) {
  scenario.simulation.every_round = true;
  return scenario::run(scenario);
}

void expect_same_figures(const scenario::Outcome& few, const scenario::Outcome& all) {
  EXPECT_NEAR(few.summary.iteration_time / all.summary.iteration_time, 1, kRounding);
  EXPECT_EQ(few.summary.events.executed, all.summary.events.executed);
  expect_same_devices(few.summary, all.summary);
  expect_same_links(few.summary, all.summary);
  const auto peaks  = report::memory_peaks(few.summary, few.program, few.timeline),
             others = report::memory_peaks(all.summary, all.program, all.timeline);
  ASSERT_EQ(peaks.size(), others.size());
  for (size_t p = 0; p < peaks.size(); ++p)
    EXPECT_NEAR((peaks[p].time - others[p].time) / all.summary.iteration_time, 0, kRounding) << p;
}

}  // namespace foreflow::test
