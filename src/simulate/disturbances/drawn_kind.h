// A kind of disturbance whose devices or links are drawn at random.
#pragma once

#include <string_view>
#include <vector>

#include "simulate/disturbances/list_kind.h"
#include "simulate/hash.h"

namespace foreflow::simulate {

constexpr std::string_view kNoShare  = "is not in [0, 1]; 0.05 means one in 20";
constexpr std::string_view kNotDrawn = "is not drawn yet; call simulate::drawn with the platform first";

inline ValueType share_type() { return {"a number from 0 to 1", types::number().schema.with("maximum", 1)}; }

inline uint64_t read_seed(const JsonView& json) {
  const int64_t seed = json.int_or("seed", 0);
  if (seed < 0) json.at("seed").fail("is below 0");
  return static_cast<uint64_t>(seed);
}

// Returns the numbers of 0 .. count-1 that are drawn, each with the chance `share`. Whether a number is drawn depends
// on the seed, the kind and the number only, not on how many there are.
inline std::vector<int> chosen(double share, uint64_t seed, uint64_t kind, size_t count) {
  std::vector<int> all;
  for (size_t i = 0; share > 0 && i < count; ++i) {
    const Colour drawn = mix(mix(Colour(kind), Colour(seed)), Colour(i));
    if (static_cast<double>(drawn >> 11) * 0x1p-53 < share) all.push_back(static_cast<int>(i));
  }
  return all;
}

}  // namespace foreflow::simulate
