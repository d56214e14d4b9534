#include "foreflow/lower/reshard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/reshard/strategy.h"

namespace foreflow::lower::reshard_test {
namespace {

// Two senders in one host, a receiver each in another: both tasks cross the same cards, so the second one waits.
TEST(LoweredReshard, HandsPortsOnByEventsOfNoDuration) {
  const std::vector<reshard::Move> moves = {
      {{"", {8}, Bytes(1)}, {reshard::consecutive({2}, 0), {{{0}}}}, {reshard::consecutive({2}, 2), {{{0}}}}}};
  const auto units   = reshard::unit_tasks(moves);
  const auto ports   = reshard::uniform_ports({{0, 0}, {1, 0}, {2, 1}, {3, 1}}, BytesPerSecond(1));
  const auto plan    = reshard::strategies().get("broadcast", "test").plan(units, ports, {});
  const auto lowered = program_of(units, plan);
  stream::verify(lowered.program);
  EXPECT_THAT(stream::print(lowered.program), testing::HasSubstr(R"(
communication 0 send: send by direct, 4 bytes
communication 1 port is free: send by direct, 0 bytes, always 0 s
instance 0: communication 0 of D0 D2
instance 1: communication 1 of D0 D1
instance 2: communication 1 of D2 D3
instance 3: communication 0 of D1 D3
)"));
  EXPECT_EQ(lowered.instances, (std::vector<int32_t>{0, 3}));
}

}  // namespace
}  // namespace foreflow::lower::reshard_test
