#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/search/space.h"

namespace foreflow::search {
namespace {

constexpr int kDraws = 1000;  // of each region

double drawn(const Space& space, const Region& region, std::mt19937_64& random) {
  double product = 1;
  Json point     = Json::object();
  for (size_t d = 0; d < region.size(); ++d) {
    const std::vector<Json>* listed  = space.listed(region, d, point);
    const std::vector<Json> own      = listed != nullptr ? std::vector<Json>() : space.choices(region, d, point);
    const std::vector<Json>& choices = listed != nullptr ? *listed : own;
    if (choices.empty()) continue;
    product *= static_cast<double>(choices.size());
    point = with(point, nth(choices, random() % choices.size()));
  }
  return product;
}

}  // namespace

double Space::estimate() const {
  std::mt19937_64 random(1);
  double all = 0;
  for (const Region& region : regions_) {
    for (int i = 0; i < kDraws; ++i) all += drawn(*this, region, random) / kDraws;
  }
  return all;
}

}  // namespace foreflow::search
