// A hash of sequences of words, for colours and patterns.
#pragma once

#include <bit>
#include <cstdint>

namespace foreflow::simulate {

using Colour = uint64_t;  // a hash of what has been seen; two different things share one with probability 2^-64

// Order matters: mix(a, b) is not mix(b, a). The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
inline Colour mix(Colour a, Colour b) {
  Colour x = a + 0x9e3779b97f4a7c15u * (b + 1);
  x        = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x        = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
inline Colour mix(Colour a, double b) { return mix(a, std::bit_cast<Colour>(b)); }
inline Colour number(int64_t value) { return static_cast<Colour>(value); }

}  // namespace foreflow::simulate
