// Calls are a way of writing: a program lowered with its calls does what it does with the bodies written out.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"
#include "support/lowering.h"
#include "support/machine.h"

namespace foreflow::inlining_test {
namespace {

using ir::ValueId;
using Values = std::vector<ValueId>;

using Devices = std::vector<int64_t>;  // by number inside - 1; empty: as they are

ir::Device outside(const ir::Device& device, const Devices& devices) {
  if (devices.empty() || !device.placed()) return device;
  return ir::Device(static_cast<int32_t>(devices.at(static_cast<size_t>(device.index - 1))), device.stream_name());
}

// Writes the ops of a function, and of what it calls, for these arguments; returns its results.
Values inlined(ir::FunctionBuilder& builder, const ir::Module& module, const ir::Function& function, Values values,
               const Devices& devices) {
  for (const ir::Op& op : function.ops) {
    Values operands;
    for (const ValueId id : function.inputs(op)) {
      operands.push_back(id == ValueId::none ? id : values[ir::index(id)]);
    }
    if (op.is_call()) {
      const ir::Function& callee = nth(module.functions, op.callee);
      const Devices* stated      = ir::call_devices(op);
      const Values results       = inlined(builder, module, callee, operands, stated == nullptr ? devices : *stated);
      values.insert(values.end(), results.begin(), results.end());
      continue;
    }
    const auto attributes =
        builder.share(ir::with_devices(op, [&](const ir::Device& device) { return outside(device, devices); }));
    const auto first = static_cast<int32_t>(builder.append(op.def, -1, attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i)
      values.push_back(static_cast<ValueId>(first + static_cast<int32_t>(i)));
  }
  Values results;
  for (const ValueId id : function.results) results.push_back(values[ir::index(id)]);
  return results;
}

ir::Module without_calls(const ir::Module& module) {
  const ir::Function& entry = module.entry();
  ir::FunctionBuilder builder(entry.name, ops::table());
  Values values;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    values.push_back(builder.parameter(entry.values[i].name, entry.parameters[i], entry.values[i].annotation));
  }
  Values results = inlined(builder, module, entry, std::move(values), {});
  ir::Module flat;
  flat.source = module.source;
  flat.functions.push_back(builder.finish(std::move(results)));
  ir::verify(flat);
  return flat;
}

ir::Module distributed(const std::string& family, const std::string& sizes, const test::Split& split) {
  const ir::Module forward = test::family(family, sizes, 16, workload::Mode::training);
  const ir::Module trained =
      transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(), "sgd");
  return test::distribute(transform::resolve(trained), split).back().module;
}

// Per communication: how often it happens.
std::map<std::string, int> messages(const stream::Program& program) {
  std::map<std::string, int> count;
  for (const stream::Instance& instance : program.instances) {
    const stream::Communication& what = nth(program.communications, instance.communication);
    std::string key                   = what.name + " " + std::to_string(what.bytes.value());
    for (const int32_t member : instance.members) key += " " + nth(program.streams, member).name;
    ++count[key];
  }
  return count;
}

// A view that a callee returns of what its caller keeps (GPT's labels as rows) counts a second time.
constexpr double kPeak = 0.005;

TEST(Inlining, ChangesNeitherWorkNorMessagesNorWhatStays) {
  const auto platform                   = test::star(8, BytesPerSecond(1e9), Seconds(1e-6));
  const std::string mlp                 = R"({"layers": 4, "hidden": 32})";
  const std::string gpt                 = R"({"layers": 2, "hidden": 32, "heads": 4, "sequence": 8, "vocabulary": 64})";
  const std::vector<test::Split> splits = {
      {1, 1, 2, 4, "1f1b"}, {2, 1, 2, 4, "gpipe"}, {1, 2, 2, 2, "1f1b"}, {2, 2, 2, 4, "1f1b"}, {1, 1, 1, 8, "gpipe"}};
  for (const auto& [family, sizes] : {std::pair("mlp", mlp), std::pair("gpt", gpt)}) {
    for (const test::Split& split : splits) {
      SCOPED_TRACE(family + (" " + test::to_string(split)));
      const ir::Module module       = distributed(family, sizes, split);
      const stream::Program calls   = test::lowered(module, platform).program();
      const stream::Program written = test::lowered(without_calls(module), platform).program();
      const auto busy = test::busy_seconds(calls), expected = test::busy_seconds(written);
      ASSERT_EQ(busy.size(), expected.size());
      for (const auto& [stream, seconds] : expected) EXPECT_NEAR(busy.at(stream), seconds, 1e-9 * seconds) << stream;
      EXPECT_EQ(messages(calls), messages(written));
      for (const stream::DeviceUse& use : calls.devices) {
        const test::Level level = test::memory_of(calls, use.index), open = test::memory_of(written, use.index);
        EXPECT_EQ(level.final, open.final) << "D" << use.index;
        EXPECT_NEAR(level.peak, open.peak, kPeak * open.peak) << "D" << use.index;
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::inlining_test
