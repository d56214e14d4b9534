// Collectives of libraries on machines: they take their closed form, by every engine; where they meet on a link the
// engines agree about that as well.
#include <gtest/gtest.h>

#include "foreflow/collective/library.h"
#include "foreflow/platform/load.h"
#include "foreflow/simulate/alone.h"
#include "support/random_streams.h"

namespace foreflow::simulate::libraries_test {
namespace {

using collective::AlgorithmDef;
using collective::Kind;
using namespace test;

struct Machine {
  const char* topology;
  int nodes;
};
constexpr Machine kMachines[] = {{"dgx1", 1}, {"dgx_a100", 1}, {"dgx_a100", 2}, {"dgx_h100", 1}, {"pcie_l40s", 1}};

platform::Platform machine(const Machine& of) {
  return platform::make(platform::topologies().get(of.topology, "test"), of.nodes);
}

std::vector<int> places(const platform::Platform& platform, Kind kind) {
  const auto devices = static_cast<int>(platform.devices().size());
  std::vector<int> all;
  for (int i = 0; i < devices; ++i) all.push_back(i);
  return kind == Kind::send ? std::vector{0, devices - 1} : all;
}

class Library : public testing::TestWithParam<std::string> {
 protected:
  const AlgorithmDef& library() const { return collective::library_algorithms().get(GetParam(), "test"); }
};

TEST_P(Library, TakesItsClosedForm) {
  for (const Machine& of : kMachines) {
    const auto platform = machine(of);
    for (const collective::KindDef& kind : collective::kinds()) {
      for (const double bytes : {1e3, 1e6, 1e9}) {
        SCOPED_TRACE(std::string(of.topology) + " " + std::string(kind.name) + " " + std::to_string(bytes));
        const Alone alone = run_alone(platform, library(), kind.kind, Bytes(bytes), places(platform, kind.kind),
                                      engines().get("analytic", "test"));
        EXPECT_NEAR(alone.time.value(), alone.closed_form.total().value(), 1e-9 * alone.time.value());
        EXPECT_EQ(alone.placed.algorithm->choose, nullptr);
      }
    }
  }
}

TEST_P(Library, TakesTheSameByEveryEngine) {
  for (const Machine& of : {kMachines[1], kMachines[2]}) {
    const auto platform = machine(of);
    for (const Kind kind : {Kind::all_reduce, Kind::all_to_all, Kind::broadcast}) {
      for (const double bytes : {1e5, 1e8}) {
        const auto time = [&](const char* engine) {
          return run_alone(platform, library(), kind, Bytes(bytes), places(platform, kind),
                           engines().get(engine, "test"))
              .time.value();
        };
        const double analytic = time("analytic");
        EXPECT_NEAR(time("simgrid"), analytic, 1e-9 * analytic);
        EXPECT_NEAR(time("simgrid_flows"), analytic, 1e-9 * analytic);
      }
    }
  }
}

TEST_P(Library, SharesLinksAsSimGridDoes) {
  Options options;
  options.coupling = Coupling::coupled;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const int devices   = draw(rng, 2, 9);
    const auto platform = shared_links(rng, devices);
    auto program        = random_streams(rng, devices);
    for (stream::Communication& communication : program.communications) communication.algorithm = &library();
    const auto actual   = engines().get("simgrid", "test").run(program, platform, options);
    const auto expected = engines().get("simgrid_flows", "test").run(program, platform, options);
    const auto alone    = engines().get("analytic", "test").run(program, platform, options);
    EXPECT_NEAR(actual.makespan.value(), expected.makespan.value(), 1e-9 * expected.makespan.value());
    EXPECT_GE(actual.makespan.value(), alone.makespan.value() * (1 - 1e-9));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Library, testing::ValuesIn(collective::libraries().names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace foreflow::simulate::libraries_test
