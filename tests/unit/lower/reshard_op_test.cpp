// A Reshard as the messages of its devices: which bytes travel by each strategy, and what memory they take.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/lower/lower.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/load.h"
#include "foreflow/platform/topologies.h"
#include "support/lowering.h"

namespace foreflow::lower::reshard_op_test {
namespace {

using test::Level;

constexpr double kPart = 4096;  // bytes of a Tensor[Float32, (32, 32)]

// Two columns of blocks on D1 and D2; the whole on each of D5 and D6, which are in another server.
const std::string kGather = R"(func @f(%a: Tensor[Float32, (32, 32), 1], %b: Tensor[Float32, (32, 32), 2]) {
  %x = Relu(%a)
  %y = Relu(%b)
  %p, %q = Reshard[source_mesh = [2], source_spec = "RS0", target_mesh = [2], target_spec = "RR", to = [5, 6]](%x, %y)
  %r = Relu(%p)
  return %r, %q
})";

stream::Program program(const std::string& text, std::string_view strategy, Options options = {}) {
  const ir::Module module    = ir::parse(text, "f.distir", ops::table());
  const auto platform        = platform::make(platform::topologies().get("p3_8xlarge", "test"), 2);
  const cost::CostModel cost = test::ideal_roofline();
  options.resharding         = &reshard::strategies().get(strategy, "test");
  return lower(module, interpret::interpret_mixed(module, 0), cost, platform, options).program();
}

double bytes_sent(const stream::Program& program) {
  double all = 0;
  for (const stream::Instance& instance : program.instances) {
    const auto& what = nth(program.communications, instance.communication);
    if (!what.fixed) all += what.bytes.value();
  }
  return all;
}

TEST(Reshard, SendsWhatItsStrategySays) {
  EXPECT_EQ(bytes_sent(program(kGather, "send_recv")), 4 * kPart);  // each part to each device
  EXPECT_EQ(bytes_sent(program(kGather, "broadcast")), 2 * kPart);  // each part once, passed on
  EXPECT_LE(bytes_sent(program(kGather, "signal")), 16);            // bytes of their own, none of the tensor
}

// Every message of the tensor starts and is issued as other messages are; a wait for a port is neither.
TEST(Reshard, StartsAndIsIssuedAsMessagesAre) {
  Options options;
  options.message_start    = Seconds(1e-4);
  options.collective_start = Seconds(2e-4);
  options.host.message     = Seconds(3e-6);
  options.host.collective  = Seconds(4e-6);
  for (const char* strategy : {"send_recv", "broadcast", "alpa"}) {
    SCOPED_TRACE(strategy);
    int messages = 0;
    for (const stream::Communication& what : program(kGather, strategy, options).communications) {
      if (what.bytes == Bytes(0)) {
        EXPECT_EQ(what.issue, stream::Issue());
        continue;
      }
      const bool send = what.kind == collective::Kind::send;
      EXPECT_EQ(what.start, send ? options.message_start : options.collective_start);
      EXPECT_EQ(what.issue.all, send ? options.host.message : options.host.collective);
      ++messages;
    }
    EXPECT_GT(messages, 0);
  }
}

TEST(Reshard, TakesTheMemoryOfItsResultFromItsFirstMessageToTheEnd) {
  for (const char* strategy : {"send_recv", "broadcast", "alpa"}) {
    SCOPED_TRACE(strategy);
    const stream::Program lowered = program(kGather, strategy);
    EXPECT_EQ(test::memory_of(lowered, 1), (Level{2 * kPart, kPart}));      // the parameter; x until it is sent
    EXPECT_EQ(test::memory_of(lowered, 5), (Level{4 * kPart, 2 * kPart}));  // the whole, and what is made of it
    EXPECT_EQ(test::memory_of(lowered, 6), (Level{2 * kPart, 2 * kPart}));
  }
}

// The layout stays, and so does what D1 has: D1 and D2 send their parts to the device of the same place.
TEST(Reshard, SendsAPartOnceWhereTheLayoutStays) {
  const std::string moved = R"(func @f(%x: Tensor[Float32, (32, 32), 1], %y: Tensor[Float32, (32, 32), 2]) {
  %p, %q = Reshard[source_mesh = [2], source_spec = "RS0", target_mesh = [2], target_spec = "RS0", to = [5, 6]](%x, %y)
  return %p, %q
})";
  for (const reshard::StrategyDef& strategy : reshard::strategies()) {
    if (!strategy.moves_data) continue;
    EXPECT_EQ(bytes_sent(program(moved, strategy.name)), 2 * kPart) << strategy.name;
  }
}

}  // namespace
}  // namespace foreflow::lower::reshard_op_test
