// Figure 8: broadcasts in the nine cases with three ways to choose senders and order.
#include <fmt/core.h>

#include <array>

#include "reproduce/resharding.h"

namespace foreflow::reproduce::definitions::resharding_figure8 {
namespace {

using namespace resharding;  // NOLINT(google-build-using-namespace): of this paper

constexpr std::array kWays = {Way{"naive", "broadcast", "naive", "Naive"},
                              Way{"load_balance", "broadcast", "load_balance", "Load Balance Only"},
                              Way{"ensemble", "broadcast", "ensemble", "Ours"}};
const Bytes kPlotted(0x1p31);

Result run(const Options& options) {
  const auto ideals = published(options, "figure8");
  const auto all    = cases(options);
  Result result;
  for (size_t i = 0; i < all.size(); ++i) {
    Bytes size = all[i].move.tensor.element;
    for (const int64_t extent : all[i].move.tensor.shape) size = static_cast<double>(extent) * size;
    for (const Way& way : kWays) {
      const double ideal =
          gibibits(kPlotted, ideals[i].number(std::string(way.column)) * (size / BytesPerSecond(1.25e9)));
      result.rows.push_back(of_kind(compare(fmt::format("{}: {}, Gb/s", all[i].name, way.label), ideal,
                                            gibibits(kPlotted, time_of(all[i].move, way))),
                                    "ideal"));
    }
    if (options.finished) options.finished(i + 1, all.size());
  }
  result.notes.push_back(
      "published: ideals for cards of 10 Gb/s and free NVLink, in units of 2^30 bit/s as the paper plots (16 / "
      "latency); it prints no numbers for the bars. As in its text, cases 1 and 8 do not depend on the order, and only "
      "case 2 needs no more than balanced senders");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"resharding_figure8", "nine cases with three orders of broadcasts: effective bandwidth on p3.8xlarge", kPaper,
          run};
}

}  // namespace foreflow::reproduce::definitions::resharding_figure8
