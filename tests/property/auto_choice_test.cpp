// `auto` takes the fastest algorithm: on every machine that ships, meshes and fabrics that block among them, none that
// can be simulated is faster, and its closed form is the simulated time. TimesAlone has the times of the engine.
#include <gtest/gtest.h>

#include <numeric>

#include "foreflow/simulate/alone.h"
#include "support/recipe_text.h"

namespace foreflow::simulate::auto_choice_test {
namespace {

using collective::AlgorithmDef;
using collective::Kind;

std::vector<std::string> machines() {
  std::vector<std::string> all;
  for (const platform::TopologyDef& topology : platform::topologies()) {
    for (const char* nodes : {"1", "3"}) {
      const bool one_device = topology.gpus.usual < 2 && std::string_view(nodes) == "1";
      const bool too_many   = topology.gpus.usual > 16 && std::string_view(nodes) == "3";
      if (!one_device && !too_many)
        all.push_back(R"({"topology": ")" + std::string(topology.name) + R"(", "nodes": )" + nodes + "}");
    }
  }
  for (const platform::FabricDef& fabric : platform::fabrics()) {
    for (const char* topology : {"dgx1", "dgx_a100"}) {
      all.push_back(R"({"topology": ")" + std::string(topology) + R"(", "nodes": 6, "fabric": ")" +
                    std::string(fabric.name) + R"("})");
    }
  }
  all.emplace_back(R"({"topology": "dgx_h100", "nodes": 4, "fabric": "fat_tree2", "leaf_ports": 16,
                       "oversubscription": 4, "sharp": true})");
  all.emplace_back(R"({"topology": "dgx1", "nodes": 1, "links": {"node0-gpu0-gpu3": {"bandwidth": "5GBps"}}})");
  all.emplace_back(R"({"parts": [{"topology": "dgx1", "nodes": 1}, {"topology": "dgx_a100", "nodes": 2}]})");
  return all;
}

class AutoChoice : public testing::TestWithParam<std::string> {
 protected:
  const platform::Platform platform_ = test::machine(GetParam());

  std::vector<int> places(Kind kind) const {
    std::vector<int> all(platform_.devices().size());
    std::iota(all.begin(), all.end(), 0);
    return kind == Kind::send ? std::vector{all.front(), all.back()} : all;
  }

  Alone run(const AlgorithmDef& algorithm, Kind kind, Bytes bytes) const {
    return run_alone(platform_, algorithm, kind, bytes, places(kind), engines().get("analytic", "test"));
  }

  bool supports(const AlgorithmDef& algorithm, Kind kind) const {
    return algorithm.does(kind) &&
           algorithm.supports_task(stream::place(platform_, algorithm, kind, Bytes(1), places(kind)).task);
  }
};

TEST_P(AutoChoice, IsTheFastestThatCanBeSimulated) {
  const AlgorithmDef& automatic = collective::algorithms().get("auto", "test");
  for (const Kind kind : automatic.kinds) {
    std::vector<const AlgorithmDef*> rows;
    for (const AlgorithmDef& row : collective::algorithms()) {
      if (supports(row, kind) && !row.is_of_libraries) rows.push_back(&row);
    }
    ASSERT_GE(rows.size(), 2U) << "auto alone";
    for (const double bytes : {1e3, 64e3, 4e6, 256e6}) {
      const Alone chosen = run(automatic, kind, Bytes(bytes));
      const double time  = chosen.time.value();
      EXPECT_NEAR(chosen.closed_form.total().value(), time, 1e-9 * time);
      for (const AlgorithmDef* row : rows) {
        EXPECT_LE(time, run(*row, kind, Bytes(bytes)).time.value() * (1 + 1e-9))
            << collective::name(kind) << " of " << bytes << " bytes: " << chosen.placed.algorithm->name << " against "
            << row->name;
      }
    }
  }
}

// Many sizes of one group, which is surveyed once.
TEST_P(AutoChoice, TimesAloneAreThoseOfTheEngine) {
  TimesAlone times(platform_);
  for (const AlgorithmDef& row : collective::algorithms()) {
    for (const Kind kind : row.kinds) {
      if (!supports(row, kind)) continue;
      const std::vector<int> ranks = places(kind);
      const size_t group           = kind == Kind::send ? 1 : 0;
      for (const double bytes : {0.0, 1e3, 64e3, 4e6, 256e6})
        EXPECT_EQ(times.of({group, ranks}, row, kind, Bytes(bytes)), run(row, kind, Bytes(bytes)).time) << row.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AutoChoice, testing::ValuesIn(machines()), [](const auto& info) {
  std::string name = std::to_string(info.index);
  for (const char c : info.param.substr(0, 60)) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace foreflow::simulate::auto_choice_test
