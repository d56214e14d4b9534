// The load of equal communications together, on one link of each class.
#pragma once

#include <compare>
#include <map>
#include <utility>
#include <vector>

#include "simulate/fold/numbering.h"
#include "simulate/footprint/footprint.h"

namespace foreflow::simulate {

// Adds up what the equal communications ask of the first link of each colour.
class Merger {
 public:
  // A footprint, which stands for its images under the rotation, too, unless it is its own image.
  struct Part {
    int32_t footprint;
    bool own_image                      = false;
    auto operator<=>(const Part&) const = default;
  };

  // `links`: colours by orbit.
  Merger(const Footprints& footprints, const platform::Platform& platform, platform::Rotation rotation,
         const Numbering& links)
      : footprints_(footprints), platform_(platform), rotation_(std::move(rotation)), links_(links) {}

  // The footprint of all of `parts` as one of `result`.
  int32_t merge(const std::vector<Part>& parts, int32_t example, Footprints& result);

  // The first link of the same colour.
  int32_t first_like(int32_t link) const {
    return rotation_.first_link(nth(links_.first(), links_.of(static_cast<size_t>(rotation_.orbit(link)))));
  }

  // Returns the part of a load that remains.
  Load kept(const Load& load) const;

 private:
  // The first link of its colour onto which the crossing of `link` counts; -1: none.
  int32_t counted(int32_t link, bool own_image) const;
  void add(const Load& load, bool own_image, std::map<int32_t, double>& weights) const;
  // The relay of a phase, by its number in the footprints of `parts`, as one of `result`.
  int32_t merge_relays(const std::vector<Part>& parts, size_t number, Footprints& result) const;
  Load summed(const std::vector<Part>& parts, size_t number) const;

  const Footprints& footprints_;
  const platform::Platform& platform_;
  const platform::Rotation rotation_;
  const Numbering& links_;
  std::map<std::vector<Part>, int32_t> known_;
};

}  // namespace foreflow::simulate
