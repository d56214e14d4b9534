// Figure 5: 1 GiB from one device to the devices of one host (a) and of several hosts (b): effective bandwidth.
#include <fmt/core.h>

#include <array>

#include "reproduce/resharding.h"

namespace foreflow::reproduce::definitions::resharding_figure5 {
namespace {

using namespace resharding;  // NOLINT(google-build-using-namespace): of this paper

constexpr std::array kWays  = {Way{"send_recv", "send_recv", "", "Send/Recv"}, Way{"alpa", "alpa", "", "Alpa"},
                               Way{"broadcast", "broadcast", "", "Ours"}};
constexpr int64_t kElements = int64_t{1} << 28;
constexpr int kChunks       = 100;
const Bytes kSize(0x1p30);
const Seconds kOnce = kSize / BytesPerSecond(1.25e9);

Result run(const Options& options) {
  Result result;
  double first = 0, most_growth = 0, most_loss = 0;
  for (const Published& line : published(options, "figure5")) {
    const int hosts = line.whole("hosts"), devices = line.whole("devices");
    const reshard::Move one = move({kElements}, {1, 1}, "R", {hosts, devices}, "R");
    for (const Way& way : kWays) {
      const double ours  = gibibits(kSize, time_of(one, way, kChunks));
      const double ideal = gibibits(kSize, line.number(std::string(way.column)) * kOnce);
      result.rows.push_back(
          of_kind(compare(fmt::format("{} x {} GPU: {}, Gb/s", hosts, devices, way.label), ideal, ours), "ideal"));
      if (way.column != "broadcast") continue;
      if (hosts == 1 && devices == 1) first = ours;
      if (hosts == 1) most_growth = std::max(most_growth, first / ours - 1);
      most_loss = std::max(most_loss, 1 - ours / first);
    }
  }
  result.rows.push_back(compare_stated(
      "a: growth of Ours over one GPU, %",
      stated(options, "5a", "alpa and broadcast in one host: growth of the latency over one GPU"), 100 * most_growth));
  result.rows.push_back(compare_stated("b: loss of Ours over several hosts, %",
                                       stated(options, "5b", "broadcast to several hosts: loss of bandwidth"),
                                       100 * most_loss));
  result.notes.push_back(
      "published: ideals for cards of 10 Gb/s and free NVLink, in units of 2^30 bit/s as the paper plots; it prints no "
      "numbers for the bars. Ours: flows over NVLink, PCIe and cards with their latencies; broadcasts in 100 chunks");
  result.notes.push_back(
      "three GPU and three hosts: 2^28 elements do not divide by 3, so Alpa sends whole tensors again, which explains "
      "the paper's \"sudden drop\"");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"resharding_figure5",
          "1 GiB from one GPU to GPUs of one host (a) and of several (b): effective bandwidth on p3.8xlarge", kPaper,
          run};
}

}  // namespace foreflow::reproduce::definitions::resharding_figure5
