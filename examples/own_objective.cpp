// A sweep with an objective of one's own: not the fastest training, but the cheapest that sees a billion tokens within
// twelve hours. The lists in the scenario are axes, and every point of their product is predicted.
#include <algorithm>
#include <cstdio>
#include <map>

#include "foreflow/sweep/sweep.h"

namespace {

using namespace foreflow;

constexpr double kTokens = 1e9, kDeadlineHours = 12;
constexpr int kGpus = 8;
// What we are asked to pay.
const std::map<std::string, double> kDollarsPerGpuHour = {{"dgx1", 0.9}, {"dgx_a100", 1.8}, {"dgx_h100", 3.5}};

const char* const kScenario = R"({
  "name": "GPT of 2.7 billion parameters",
  "workload": {"model": "gpt", "layers": 32, "hidden": 2560, "heads": 32, "sequence": 2048, "vocabulary": 51200,
               "dtype": "f16", "mode": "training", "optimizer": "adam"},
  "platform": {"topology": ["dgx1", "dgx_a100", "dgx_h100"]},
  "strategy": [{"dp": 8, "microbatches": 8, "global_batch": 64},
               {"dp": 4, "tp": 2, "microbatches": 16, "global_batch": 64},
               {"dp": 2, "tp": 4, "microbatches": 32, "global_batch": 64},
               {"dp": 4, "pp": 2, "microbatches": 16, "global_batch": 64}],
  "engine": "analytic"
})";

struct Offer {
  std::string what;
  double hours, dollars;
};

Offer offer_of(const sweep::Result& result, const sweep::Point& point) {
  std::string topology, what;
  for (size_t axis = 0; axis < result.axes.size(); ++axis) {
    const std::string label = sweep::label(result.axes[axis], point.choice[axis]);
    if (result.axes[axis].path() == "platform.topology") topology = label;
    what += (axis > 0 ? ", " : "") + label;
  }
  const double rate  = JsonView(point.answer, "answer").at("tokens_per_s_per_device").as_number();
  const double hours = kTokens / (rate * kGpus) / 3600;
  return {what, hours, hours * kGpus * kDollarsPerGpuHour.at(topology)};
}

}  // namespace

int main() {
  const sweep::Result result = sweep::sweep(parse_json(kScenario, "sweep"), "sweep", {});

  std::vector<Offer> offers;
  std::map<std::string, int> left_out;
  for (const sweep::Point& point : result.points) {
    if (point.status != sweep::Status::done) {
      ++left_out["impossible"];
    } else if (!JsonView(point.answer, "answer").at("fits").as_bool()) {
      ++left_out["out of memory"];
    } else if (const Offer offer = offer_of(result, point); offer.hours > kDeadlineHours) {
      ++left_out["too late"];
    } else {
      offers.push_back(offer);
    }
  }
  std::sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) { return a.dollars < b.dollars; });

  for (const auto& [why, points] : left_out)
    std::printf("%d of %zu points: %s\n", points, result.points.size(), why.c_str());
  for (const Offer& offer : offers)
    std::printf("%6.0f $ %5.1f h  %s\n", offer.dollars, offer.hours, offer.what.c_str());
}
