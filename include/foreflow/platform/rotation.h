// Rotations of a machine that consists of equal parts in a circle: the servers around one switch, the pods of a tree.
#pragma once

#include <utility>
#include <vector>

namespace foreflow::platform {

// An automorphism of the machine: each part takes the place of the next one, and the last that of the first. Nothing
// but names differs then, and every message crosses the links that have taken the places of those that it crossed.
// Devices are numbered part by part, and so are the links of each range:
//
//   parts   0       1       2
//   links   0 1     2 3     4 5         an orbit: 0, 2, 4; its first link: 0
//           6       7       8           a second range; an orbit: 6, 7, 8
class Rotation {
 public:
  // No part is known to be like another: each link is an orbit of its own.
  explicit Rotation(int links) : parts_(1), ends_{links} {}
  // `ends`: of the ranges of links, ascending, each range with as many links for each part.
  Rotation(int parts, std::vector<int> ends) : parts_(parts), ends_(std::move(ends)) {}

  int parts() const { return parts_; }
  // The number of the link's range.
  int range(int link) const;
  // The rotation by `step` parts, a divisor of their number.
  Rotation by(int step) const { return {parts_ / step, ends_}; }

  // The links that the rotation, repeated, makes of each other are an orbit. Orbits are numbered as their first links.
  int orbits() const { return ends_.back() / parts_; }
  int orbit(int link) const;
  int first_link(int orbit) const;
  // The link whose place this one takes.
  int next(int link) const;

 private:
  int begin(int range) const;
  int end(int range) const;

  int parts_;
  std::vector<int> ends_;
};

}  // namespace foreflow::platform
