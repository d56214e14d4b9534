#include <algorithm>
#include <deque>
#include <tuple>

#include "transform/pipeline/cuts/cuts.h"

namespace foreflow::transform {
namespace {

bool is_louder(const CutPlace& a, const CutPlace& b) {
  return std::tie(a.tensors, a.crossing) > std::tie(b.tensors, b.crossing);
}

// Returns true if work with weights has begun at a place and goes on after it. Before and after it little crosses, as
// indices into a table or the losses of samples, and no stage ends there.
bool is_inside(const CutPlace& place, const CutPlace& last) {
  return place.weights > Bytes(0) && place.weights < last.weights;
}

// For each place of an ascending list, the quietest within `far` seconds: the minimum of a window that slides on.
std::vector<const CutPlace*> quietest_near(const std::vector<const CutPlace*>& places, double far) {
  std::vector<const CutPlace*> found;
  std::deque<const CutPlace*> window;  // ever louder
  size_t next = 0;
  for (const CutPlace* place : places) {
    for (; next < places.size() && places[next]->seconds <= place->seconds + far; ++next) {
      while (!window.empty() && is_louder(*window.back(), *places[next])) window.pop_back();
      window.push_back(places[next]);
    }
    while (window.front()->seconds < place->seconds - far) window.pop_front();
    found.push_back(window.front());
  }
  return found;
}

}  // namespace

std::vector<CutPlace> quiet_places(std::span<const CutPlace> places, size_t stages) {
  std::vector<const CutPlace*> inside;
  for (const CutPlace& place : places) {
    if (is_inside(place, places.back())) inside.push_back(&place);
  }
  std::vector<CutPlace> quiet;
  if (!inside.empty()) {
    const double half   = places.back().seconds / static_cast<double>(stages) / 2;
    const auto quietest = quietest_near(inside, half);
    for (size_t i = 0; i < inside.size(); ++i) {
      if (!is_louder(*inside[i], *quietest[i])) quiet.push_back(*inside[i]);
    }
    quiet.push_back(places.back());
  }
  if (quiet.size() < stages) return {places.begin(), places.end()};
  return quiet;
}

}  // namespace foreflow::transform
