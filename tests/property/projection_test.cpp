// Per-rank programs meet: when every communication blocks until all of its members have come to it, each rank reaches
// the end of its program, whatever the distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/lower/project.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::projection_test {
namespace {

using Programs = std::map<ir::Device, ir::Module>;

struct Meeting {
  std::string op;
  std::vector<ir::Device> senders, receivers;
  bool operator==(const Meeting&) const = default;

  std::set<ir::Device> members() const {
    std::set<ir::Device> all(senders.begin(), senders.end());
    all.insert(receivers.begin(), receivers.end());
    return all;
  }
};

Meeting meeting_of(const ir::Function& function, const ir::Op& op) {
  Meeting meeting{std::string(op.def->name), {}, {}};
  for (const int64_t index : op.attributes->get_ints("from")) {
    meeting.senders.emplace_back(static_cast<int32_t>(index));
  }
  for (uint32_t i = 0; i < op.result_count; ++i) {
    meeting.receivers.push_back(ir::device_of(*function.value(function.output(op, i)).annotation));
  }
  return meeting;
}

// What a rank does with others, calls written out.
void collect(const ir::Module& program, const ir::Function& function, std::vector<Meeting>& meetings) {
  for (const ir::Op& op : function.ops) {
    if (op.is_call()) {
      collect(program, nth(program.functions, op.callee), meetings);
    } else if (op.def->role == ir::Role::communication) {
      meetings.push_back(meeting_of(function, op));
    }
  }
}

// The ranks that wait for ever; empty: none.
std::set<ir::Device> stuck(const Programs& programs) {
  std::map<ir::Device, std::vector<Meeting>> left;
  for (const auto& [device, program] : programs) collect(program, program.entry(), left[device]);
  std::map<ir::Device, size_t> at;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [device, meetings] : left) {
      if (at[device] == meetings.size()) continue;
      const Meeting& meeting             = meetings[at[device]];
      const std::set<ir::Device> members = meeting.members();
      const bool all                     = std::all_of(members.begin(), members.end(), [&](const ir::Device& other) {
        return at[other] < left.at(other).size() && left.at(other)[at[other]] == meeting;
      });
      if (!all) continue;
      for (const ir::Device& member : members) ++at[member];
      moved = true;
    }
  }
  std::set<ir::Device> waiting;
  for (const auto& [device, meetings] : left) {
    if (at[device] < meetings.size()) waiting.insert(device);
  }
  return waiting;
}

Programs projected(const ir::Module& module) {
  return lower::project(module, interpret::interpret_mixed(module, module.functions.size() - 1), ops::table(),
                        lower::Grain::gpu);
}

TEST(Projection, OfEveryDistributionEndsOnEveryRank) {
  const std::string sizes = R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11})";
  const ir::Module step   = transform::add_optimizer(
        transform::differentiate(test::family("gpt", sizes, 8, workload::Mode::training), ops::table()), ops::table(),
        "adam");
  const ir::Module module = transform::eliminate_dead_code(transform::resolve(step));
  size_t distributions    = 0;
  for (const auto& schedule : schedule::schedules()) {
    for (const int dp : {1, 2}) {
      for (const int tp : {1, 2}) {
        for (const int pp : {1, 2, 4}) {
          const test::Split split{dp, tp, pp, pp > 1 ? 4 : 1, std::string(schedule.name)};
          SCOPED_TRACE(test::to_string(split));
          std::vector<transform::Distributed> steps;
          try {
            steps = test::distribute(module, split);
          } catch (const Error&) {
            continue;  // this schedule does not run this split
          }
          EXPECT_TRUE(stuck(projected(steps.back().module)).empty());
          ++distributions;
        }
      }
    }
  }
  EXPECT_GE(distributions, 24U);
}

// Two ranks that each send before they receive, as no projection of one program does.
TEST(Projection, WouldBeSeenToWaitForEver) {
  const auto program = [](std::string_view text) { return ir::parse(text, "p", ops::table()); };
  const Programs programs{{ir::Device(1), program(R"(func @f(%x: Tensor[Float32, (4,), 1]) {
  _: D2 = Send[from = [1]](%x, 2)
  %y: D1 = Send[from = [2]](_, 1)
  return %y
}
)")},
                          {ir::Device(2), program(R"(func @f(%x: Tensor[Float32, (4,), 2]) {
  _: D1 = Send[from = [2]](%x, 1)
  %y: D2 = Send[from = [1]](_, 2)
  return %y
}
)")}};
  EXPECT_EQ(stuck(programs), (std::set{ir::Device(1), ir::Device(2)}));
}

}  // namespace
}  // namespace foreflow::projection_test
