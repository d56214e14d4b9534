// Folded runs equal unfolded ones, whatever the program, the platform and the disturbances; and programs that are alike
// do fold.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/simulate/simulate.h"
#include "simulate/fold/fold.h"
#include "simulate/network/external_events.h"
#include "support/machine.h"
#include "support/random_streams.h"

namespace foreflow::simulate::folding_test {
namespace {

using namespace test;
using collective::Kind;

void expect_near(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual.value(), expected.value(), 1e-9 * expected.value());
}

void expect_same(const stream::Timeline& actual, const stream::Timeline& expected) {
  ASSERT_EQ(actual.records.size(), expected.records.size());
  for (size_t stream = 0; stream < actual.records.size(); ++stream) {
    ASSERT_EQ(actual.records[stream].size(), expected.records[stream].size());
    for (size_t i = 0; i < actual.records[stream].size(); ++i) {
      expect_near(actual.records[stream][i].start, expected.records[stream][i].start);
      expect_near(actual.records[stream][i].end, expected.records[stream][i].end);
    }
  }
  ASSERT_EQ(actual.flows.size(), expected.flows.size());
  for (size_t i = 0; i < actual.flows.size(); ++i) {
    EXPECT_EQ(actual.flows[i].instance, expected.flows[i].instance);
    EXPECT_EQ(actual.flows[i].load, expected.flows[i].load);
    EXPECT_EQ(actual.flows[i].alone, expected.flows[i].alone);
    expect_near(actual.flows[i].start, expected.flows[i].start);
    expect_near(actual.flows[i].end, expected.flows[i].end);
  }
  for (size_t link = 0; link < actual.links.size(); ++link) {
    EXPECT_EQ(actual.links[link].bytes, expected.links[link].bytes);
    expect_near(actual.links[link].busy, expected.links[link].busy);
  }
}

void expect_folded_as_unfolded(const stream::Program& program, const platform::Platform& platform,
                               const Disturbances& disturbances = {}) {
  Options folded, unfolded;
  folded.coupling = unfolded.coupling = Coupling::coupled;  // slices are not folded
  folded.disturbances = unfolded.disturbances = disturbances;
  unfolded.fold                               = false;
  const EngineDef& engine                     = engines().get("simgrid", "test");
  expect_same(engine.run(program, platform, folded), engine.run(program, platform, unfolded));
}

// How many streams are simulated.
size_t folded_size(const stream::Program& program, const platform::Platform& platform,
                   const Disturbances& disturbances = {}) {
  Footprints prints = footprints(program, platform);
  sources(disturbances, platform, prints);
  const auto folded = fold(program, prints, platform, disturbances);
  return folded ? folded->participants.streams.size() : program.streams.size();
}

// Nodes of `size` devices: own links up and down of each device, one NIC in and out of each node.
platform::Platform clusters(std::mt19937_64& rng, int nodes, int size) {
  Wiring wiring(nodes * size);
  const BytesPerSecond fast(draw_real(rng, 1e9, 50e9)), slow(draw_real(rng, 1e9, 50e9));
  const Seconds latency(draw_real(rng, 0, 1e-5));
  std::vector<int> up, down, out, in;
  for (int i = 0; i < nodes * size; ++i) up.push_back(wiring.link(fast, latency)), down.push_back(wiring.link(fast));
  for (int i = 0; i < nodes; ++i) out.push_back(wiring.link(slow, latency)), in.push_back(wiring.link(slow));
  const auto at = [](const std::vector<int>& links, int i) { return nth(links, i); };
  for (int from = 0; from < nodes * size; ++from) {
    for (int to = 0; to < nodes * size; ++to) {
      if (from == to) continue;
      if (from / size == to / size) {
        wiring.route(from, to, {at(up, from), at(down, to)});
      } else {
        wiring.route(from, to, {at(up, from), at(out, from / size), at(in, to / size), at(down, to)});
      }
    }
  }
  return wiring.platform();
}

// The same for all devices: computes, and collectives of nodes and of rails, on two streams of each device.
stream::Program symmetric_program(std::mt19937_64& rng, int nodes, int size) {
  const int devices = nodes * size;
  ProgramWriter writer(devices);
  std::vector<int> second;
  for (int i = 0; i < devices; ++i) second.push_back(writer.stream(i));
  for (int step = draw(rng, 3, 20); step > 0; --step) {
    const Seconds work(draw_real(rng, 0, 1e-3));
    const Bytes bytes(std::floor(draw_real(rng, 1e4, 1e7)));
    const Kind kind   = draw(rng, 0, 1) == 0 ? Kind::all_reduce : Kind::all_to_all;
    const bool beside = draw(rng, 0, 1) == 1;
    const auto stream = [&](int device) { return beside ? nth(second, device) : device; };
    const auto gather = [&](const std::vector<int>& members) { writer.communicate(kind, members, bytes); };
    int32_t compute = -1, communication = -1;
    switch (draw(rng, 0, 3)) {
      case 0:
        for (int i = 0; i < devices; ++i) {
          if (compute < 0) {
            writer.compute(stream(i), work);
            compute = static_cast<int32_t>(writer.program().computes.size()) - 1;
          } else {
            nth(writer.program().streams, stream(i)).items.push_back({compute, -1, 0});
          }
        }
        break;
      case 1:
        for (int i = 0; i < devices; ++i) {
          const std::vector<int> ends = {i, nth(second, i)};
          if (communication < 0) {
            writer.communicate(Kind::send, ends, bytes);
            communication = static_cast<int32_t>(writer.program().communications.size()) - 1;
          } else {
            writer.repeat(communication, ends);
          }
        }
        break;
      default:
        const bool inside = draw(rng, 0, 1) == 1;
        for (int group = 0; group < (inside ? nodes : size); ++group) {
          std::vector<int> members;
          for (int i = 0; i < (inside ? size : nodes); ++i)
            members.push_back(stream(inside ? group * size + i : i * size + group));
          if (communication < 0) {
            gather(members);
            communication = static_cast<int32_t>(writer.program().communications.size()) - 1;
          } else {
            writer.repeat(communication, members);
          }
        }
    }
  }
  stream::verify(writer.program());
  return writer.program();
}

TEST(Folding, ChangesNothingInRandomPrograms) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int devices   = draw(rng, 2, 9);
    const auto platform = shared_links(rng, devices);
    expect_folded_as_unfolded(random_streams(rng, devices), platform);
  }
}

TEST(Folding, ChangesNothingInSymmetricProgramsAndTheyFold) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int nodes = draw(rng, 2, 5), size = draw(rng, 2, 5);
    const auto platform = clusters(rng, nodes, size);
    const auto program  = symmetric_program(rng, nodes, size);
    EXPECT_LE(folded_size(program, platform), 2U);  // the two streams of a device
    expect_folded_as_unfolded(program, platform);
  }
}

TEST(Folding, SplitsWhereADisturbanceBreaksTheSymmetryAndChangesNothing) {
  size_t folded = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int nodes = draw(rng, 2, 6), size = draw(rng, 2, 6);
    const auto platform = clusters(rng, nodes, size);
    const auto program  = symmetric_program(rng, nodes, size);
    Disturbances disturbances;
    const int device = draw(rng, 0, nodes * size - 1), link = draw(rng, 0, 2 * nodes * size + 2 * nodes - 1);
    if (draw(rng, 0, 1) == 1) disturbances.slowdowns = {{device, draw_real(rng, 1.5, 3)}};
    if (draw(rng, 0, 1) == 1) disturbances.links = {{link, {{Seconds(draw_real(rng, 0, 5e-3)), 0.3}}}};
    if (draw(rng, 0, 1) == 1) {
      Background other{device, (device + 1) % (nodes * size), Bytes(1e6)};
      other.period            = Seconds(1e-3);
      disturbances.background = {other};
    }
    folded += folded_size(program, platform, disturbances) < program.streams.size();
    if (!disturbances.slowdowns.empty()) {
      EXPECT_GT(folded_size(program, platform, disturbances), 2U);
    }
    expect_folded_as_unfolded(program, platform, disturbances);
  }
  EXPECT_GT(folded, 20U);
}

TEST(Folding, StagesStayApart) {
  std::mt19937_64 rng(1);
  const auto platform = clusters(rng, 2, 4);
  ProgramWriter writer(8);
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, Bytes(1e6)).repeat(0, {4, 5, 6, 7});
  writer.communicate(Kind::send, {0, 4}, Bytes(1e6)).repeat(1, {1, 5}).repeat(1, {2, 6}).repeat(1, {3, 7});
  EXPECT_EQ(folded_size(writer.program(), platform), 1U);  // who sends and who receives is busy at the same times
  for (const int device : {0, 1, 2, 3}) {
    writer.compute(device, Seconds(1e-3));
    nth(writer.program().streams, device).items.back().event = 0;
  }
  EXPECT_EQ(folded_size(writer.program(), platform), 2U);
  expect_folded_as_unfolded(writer.program(), platform);
}

TEST(Folding, JitterIsNotFolded) {
  std::mt19937_64 rng(1);
  const auto platform = clusters(rng, 2, 4);
  ProgramWriter writer(8);
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, Bytes(1e6)).repeat(0, {4, 5, 6, 7});
  EXPECT_EQ(folded_size(writer.program(), platform), 1U);
  EXPECT_EQ(folded_size(writer.program(), platform, {.jitter = {0.1, 1}}), 8U);
}

}  // namespace
}  // namespace foreflow::simulate::folding_test
