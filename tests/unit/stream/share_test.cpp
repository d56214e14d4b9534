#include "foreflow/stream/share.h"

#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/simulate/simulate.h"
#include "support/machine.h"

namespace foreflow::stream::share_test {
namespace {

using collective::Kind;
using test::ProgramWriter;

// D1 computes for a second and sends to D2, which then computes for two.
Program pair() {
  ProgramWriter writer(2);
  writer.compute(0, Seconds(1)).communicate(Kind::send, {0, 1}, Bytes(10), Seconds(0.5)).compute(1, Seconds(2));
  return writer.program();
}

Timeline simulated(const Program& program, int devices) {
  const platform::Platform star = test::star(devices, BytesPerSecond(1e9), Seconds(0));
  verify(program);
  return simulate::engines().get("analytic", "test").run(program, star);
}

TEST(Repeated, RunsIterationsWithoutABarrier) {
  // The second second of D1 runs while D2 computes, and D2 takes 0.5 + 2 s for each message.
  EXPECT_EQ(simulated(repeated(pair(), 1), 2).makespan, Seconds(3.5));
  EXPECT_EQ(simulated(repeated(pair(), 2), 2).makespan, Seconds(6));
  EXPECT_EQ(simulated(repeated(pair(), 4), 2).makespan, Seconds(11));
}

TEST(Repeated, OnceIsTheProgramItself) { EXPECT_EQ(print(repeated(pair(), 1)), print(pair())); }

// Every iteration leaves 7 B, and needs 10 B above where it starts.
TEST(Repeated, ReleasesWhatAnIterationLeft) {
  Program program                    = pair();
  program.memory_effects             = {{Bytes(0), Bytes(0)}, {Bytes(10), Bytes(4)}, {Bytes(5), Bytes(3)}};
  program.streams[0].items[0].memory = 1;
  program.streams[0].items[1].memory = 2;
  const Program thrice               = repeated(program, 3);
  double level = 0, peak = 0;
  for (const Item& item : thrice.streams[0].items) {
    const MemoryEffect& effect = nth(thrice.memory_effects, item.memory);
    peak                       = std::max(peak, level + effect.peak.value());
    level += effect.net.value();
  }
  EXPECT_EQ(peak, 10);
  EXPECT_EQ(level, 7);
}

std::vector<Tenant> two_tenants(Seconds start) {
  std::vector<Tenant> tenants = {{"early", pair(), Seconds(0)}, {"late", repeated(pair(), 2), start}};
  for (DeviceUse& device : tenants[1].program.devices) device.place += 2;
  return tenants;
}

TEST(Share, KeepsJobsApart) {
  const Shared shared = share(two_tenants(Seconds(0)));
  verify(shared.program);
  EXPECT_EQ(shared.waits, 0);
  EXPECT_EQ(shared.program.jobs, (std::vector<std::string>{"early", "late"}));
  EXPECT_EQ(shared.program.streams[3].name, "late/D2");
  EXPECT_EQ(name(shared.program, shared.program.devices[3]), "late/D2");
  EXPECT_EQ(shared.program.devices[3].place, 3);
  const Timeline timeline = simulated(shared.program, 4);
  EXPECT_EQ(end_of(shared.program, timeline, 0), Seconds(3.5));
  EXPECT_EQ(end_of(shared.program, timeline, 1), Seconds(6));
}

TEST(Share, LetsALateJobWaitForItsStart) {
  const Shared shared = share(two_tenants(Seconds(10)));
  EXPECT_EQ(shared.waits, 1);
  const Timeline timeline = without_waits(shared, simulated(shared.program, 4));
  const Program program   = without_waits(shared);
  verify(program);
  ASSERT_EQ(program.streams[2].items.size(), timeline.records[2].size());
  EXPECT_EQ(timeline.records[2].front().start, Seconds(10));
  EXPECT_EQ(timeline.records[2].front().end, Seconds(11));
  EXPECT_EQ(timeline.records[0].front().start, Seconds(0));
  EXPECT_EQ(end_of(program, timeline, 0), Seconds(3.5));
  EXPECT_EQ(end_of(program, timeline, 1), Seconds(16));
}

TEST(Share, LetsAJobRunAloneInItsPlace) {
  const std::vector<Tenant> tenants = two_tenants(Seconds(10));
  for (size_t job = 0; job < 2; ++job) {
    const Shared shared   = share_alone(tenants, job);
    const Program program = without_waits(shared);
    verify(shared.program);
    verify(program);
    EXPECT_EQ(shared.waits, static_cast<int32_t>(job));
    ASSERT_EQ(program.streams.size(), 4u);
    EXPECT_EQ(program.streams[3].name, "late/D2");
    EXPECT_EQ(program.devices[3].place, 3);
    const Timeline timeline = without_waits(shared, simulated(shared.program, 4));
    EXPECT_EQ(end_of(program, timeline, static_cast<int32_t>(job)), Seconds(job == 0 ? 3.5 : 16));
    EXPECT_EQ(end_of(program, timeline, static_cast<int32_t>(1 - job)), Seconds(0));
  }
}

}  // namespace
}  // namespace foreflow::stream::share_test
