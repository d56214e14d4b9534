// What a program says about its buffers agrees with the memory effects of its items, and with the fullness of devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/topologies.h"
#include "foreflow/report/memory.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/simplify.h"
#include "report/memory_curve.h"
#include "support/distribution.h"
#include "support/lowering.h"
#include "support/machine.h"

namespace foreflow::storage_test {
namespace {

using stream::Storage;
using test::Split;

struct Subject {
  std::string name, family, sizes, recompute;
  Split split;
};

const std::vector<Subject>& subjects() {
  const std::string mlp = R"({"layers": 4, "hidden": 8})";
  const std::string gpt = R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11, "dropout": 0.1})";
  static const std::vector<Subject> kSubjects = {
      {"mlp_alone", "mlp", mlp, "none", {}},
      {"mlp_everything", "mlp", mlp, "none", {2, 2, 2, 2, "1f1b"}},
      {"gpt_alone", "gpt", gpt, "none", {}},
      {"gpt_tensor", "gpt", gpt, "none", {1, 4, 1, 1, "1f1b"}},
      {"gpt_pipeline", "gpt", gpt, "none", {1, 1, 4, 8, "1f1b"}},
      {"gpt_gpipe", "gpt", gpt, "none", {1, 1, 2, 4, "gpipe"}},
      {"gpt_everything", "gpt", gpt, "none", {2, 2, 2, 2, "1f1b"}},
      {"gpt_selective", "gpt", gpt, "selective", {1, 2, 2, 2, "1f1b"}},
      {"gpt_full", "gpt", gpt, "full", {2, 1, 2, 4, "1f1b"}},
      {"gpt_op", "gpt", gpt, "op", {1, 2, 2, 2, "1f1b"}},
      {"gpt_blocks", "gpt", gpt, "block(2)", {1, 1, 2, 4, "1f1b"}},
  };
  return kSubjects;
}

stream::Program program_of(const Subject& subject, const platform::Platform& platform) {
  const ir::OpTable& ops = ops::table();
  ir::Module module =
      transform::differentiate(test::family(subject.family, subject.sizes, 16, workload::Mode::training), ops);
  module = transform::eliminate_dead_code(transform::resolve(transform::add_optimizer(module, ops, "adam")));
  module = transform::recompute(module, ops, transform::read_recompute(subject.recompute, "test"), subject.split.pp);
  return test::lowered(test::distribute(module, subject.split).back().module, platform).program();
}

class Buffers : public testing::TestWithParam<std::string> {
 protected:
  Buffers() : platform_(test::star(16, BytesPerSecond(1e9), Seconds(1e-6))) {
    const auto found = std::find_if(subjects().begin(), subjects().end(),
                                    [&](const Subject& subject) { return subject.name == GetParam(); });
    program_         = program_of(*found, platform_);
  }
  const platform::Platform platform_;
  stream::Program program_;
};

TEST_P(Buffers, OfEveryItemAddUpToItsMemoryEffect) {
  for (size_t d = 0; d < program_.devices.size(); ++d) {
    const Storage& storage    = *program_.devices[d].storage;
    const stream::Trail trail = stream::trail(program_, static_cast<int>(d));
    const auto size_of        = [&](int32_t buffer) { return nth(storage.buffers, nth(trail.buffers, buffer)).size; };
    Bytes initial;
    for (size_t i = 0; i < trail.initial; ++i) initial += size_of(static_cast<int32_t>(i));
    EXPECT_EQ(initial, program_.devices[d].initial);
    const std::vector<size_t> streams = report::streams_by_device(program_)[d];
    ASSERT_EQ(trail.rows.size(), streams.size());
    for (size_t s = 0; s < streams.size(); ++s) {
      const stream::Stream& stream = program_.streams[streams[s]];
      const auto& row              = trail.rows[s];
      ASSERT_EQ(row.first.size(), stream.items.size() + 1);
      for (size_t i = 0; i < stream.items.size(); ++i) {
        Bytes level, peak;
        for (uint32_t t = row.first[i]; t < row.first[i + 1]; ++t) {
          level += (row.changes[t].made ? 1.0 : -1.0) * size_of(row.changes[t].buffer);
          peak = std::max(peak, level);
        }
        const stream::MemoryEffect& effect = nth(program_.memory_effects, stream.items[i].memory);
        EXPECT_EQ(level, effect.net) << stream.name << " item " << i;
        EXPECT_EQ(peak, effect.peak) << stream.name << " item " << i;
      }
    }
  }
}

TEST_P(Buffers, AreFreedAtMostOnceAndNeverBeforeTheyAreMade) {
  for (size_t d = 0; d < program_.devices.size(); ++d) {
    const stream::Trail trail = stream::trail(program_, static_cast<int>(d));
    std::vector<int> made(trail.buffers.size()), freed(trail.buffers.size());
    for (size_t i = 0; i < trail.initial; ++i) made[i] = 1;
    for (const auto& row : trail.rows) {
      for (const auto& change : row.changes) {
        nth(change.made ? made : freed, change.buffer) += 1;
        EXPECT_LE(nth(freed, change.buffer), nth(made, change.buffer));
      }
    }
    EXPECT_TRUE(std::all_of(made.begin(), made.end(), [](int times) { return times == 1; }));
  }
}

TEST_P(Buffers, ByClassAndByNameAddUpToThePeakOfEveryDevice) {
  const stream::Timeline timeline = simulate::engines().get("analytic", "test").run(program_, platform_, {});
  const auto streams              = report::streams_by_device(program_);
  std::vector<int> seen(program_.devices.size());
  for (const report::MemoryPeak& peak :
       report::memory_peaks(report::summarise({}, program_, timeline, platform_), program_, timeline)) {
    for (const int device : peak.devices) {
      ++nth(seen, device);
      EXPECT_EQ(report::memory_curve(program_, timeline, device, nth(streams, device)).peak, peak.size);
    }
    EXPECT_EQ(std::accumulate(peak.classes.begin(), peak.classes.end(), Bytes(0)), peak.size);
    Bytes named;
    for (const report::Alive& alive : peak.alive) named += alive.size;
    EXPECT_EQ(named, peak.size);
    Bytes fullest;
    for (const report::ClassPoint& point : report::memory_by_class(program_, timeline, peak.devices[0]))
      fullest = std::max(fullest, std::accumulate(point.classes.begin(), point.classes.end(), Bytes(0)));
    EXPECT_EQ(fullest, peak.size);
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Subject& subject : subjects()) names.push_back(subject.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(EveryProgram, Buffers, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::storage_test
