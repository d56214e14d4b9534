// Collectives of NCCL, measured, against machines with the numbers of the data sheets: no calibration, so real times
// are longer. What must hold: long messages are never predicted slower than measured, nor more than 2.5 times as fast.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/base/text.h"
#include "foreflow/platform/load.h"
#include "foreflow/simulate/alone.h"
#include "support/data.h"

namespace foreflow::published::nccl_test {
namespace {

using collective::Kind;

constexpr double kLong = 64 * 1024 * 1024;  // bytes from which on bandwidth decides

double predicted(const std::string& topology, int nodes, Kind kind, int ranks, double bytes) {
  const auto platform = platform::make(platform::topologies().get(topology, "test"), nodes);
  std::vector<int> places;
  for (int rank = 0; rank < ranks; ++rank) places.push_back(rank);
  const auto& ring = collective::default_algorithm(kind);
  return simulate::run_alone(platform, ring, kind, Bytes(bytes), places, simulate::engines().get("analytic", "test"))
      .time.value();
}

struct Error {
  int rows    = 0;
  double mean = 0, least = 1e9, most = 0;  // predicted / measured

  void add(double ratio) {
    mean  = (mean * rows + ratio) / (rows + 1);
    least = std::min(least, ratio);
    most  = std::max(most, ratio);
    ++rows;
  }
};

void expect_within(const Error& error, const std::string& what) {
  ASSERT_GT(error.rows, 0) << what;
  testing::Test::RecordProperty(what, std::to_string(error.rows) + " rows: predicted / measured " +
                                          std::to_string(error.least) + " to " + std::to_string(error.most) +
                                          ", mean " + std::to_string(error.mean));
  EXPECT_GE(error.least, 0.4) << what << ", mean " << error.mean;
  EXPECT_LE(error.most, 1.02) << what << ", mean " << error.mean;
}

class OneNode : public testing::TestWithParam<const char*> {};

TEST_P(OneNode, LongMessagesTakeAsLongAsDataSheetsSayOrLonger) {
  const std::map<std::string, Kind> kinds = {{"all_reduce", Kind::all_reduce},
                                             {"all_gather", Kind::all_gather},
                                             {"reduce_scatter", Kind::reduce_scatter},
                                             {"alltoall", Kind::all_to_all}};
  const std::string system = GetParam(), topology = system == "a100_sxm" ? "dgx_a100" : "dgx_h100";
  std::map<std::string, Error> errors;
  for (const std::string& line : split(read_file(test::data("nccl/single_node.csv")), '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() < 6 || cells[0] != system || std::stod(cells[3]) < kLong) continue;
    const double time = predicted(topology, 1, kinds.at(cells[1]), std::stoi(cells[2]), std::stod(cells[3]));
    errors[cells[1]].add(time / (std::stod(cells[4]) * 1e-3));
  }
  EXPECT_EQ(errors.size(), kinds.size());
  for (const auto& [kind, error] : errors) expect_within(error, system + " " + kind);
}

INSTANTIATE_TEST_SUITE_P(Systems, OneNode, testing::Values("a100_sxm", "h100_sxm"),
                         [](const auto& system) { return std::string(system.param); });

TEST(TwoNodes, LongMessagesTakeAsLongAsDataSheetsSayOrLonger) {
  Error error;
  for (const std::string& line : split(read_file(test::data("nccl/allreduce_a100.csv")), '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() < 7 || cells[0] != "16" || std::stod(cells[2]) < kLong) continue;
    error.add(predicted("dgx_a100", 2, Kind::all_reduce, 16, std::stod(cells[2])) / (std::stod(cells[5]) * 1e-6));
  }
  expect_within(error, "16 A100 on two nodes");
}

}  // namespace
}  // namespace foreflow::published::nccl_test
