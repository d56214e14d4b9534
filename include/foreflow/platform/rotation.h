// Rotations of a machine that consists of equal parts in a circle: the servers around one switch, the pods of a tree.
#pragma once

#include <cstddef>
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
  explicit Rotation(int links) : Rotation(1, {links}) {}
  // `ends`: of the ranges of links, ascending, each range with as many links for each part.
  Rotation(int parts, const std::vector<int>& ends);

  int parts() const { return parts_; }
  // The rotation by `step` parts, a divisor of their number.
  Rotation by(int step) const;

  // The number of the link's range.
  int range(int link) const {
    int number = 0;
    while (link >= ranges_[static_cast<size_t>(number)].end) ++number;
    return number;
  }
  // The links that the rotation, repeated, makes of each other are an orbit. Orbits are numbered as their first links.
  int orbits() const { return ranges_.back().end / parts_; }
  int orbit(int link) const {
    const Range& in = range_of(link);
    return in.first_orbit + (link - in.begin) % in.of_part;
  }
  int first_link(int orbit) const;
  bool is_first(int link) const {
    const Range& in = range_of(link);
    return link < in.begin + in.of_part;
  }
  int first_like(int link) const {
    const Range& in = range_of(link);
    return in.begin + (link - in.begin) % in.of_part;
  }
  // The link whose place this one takes.
  int next(int link) const {
    const Range& in = range_of(link);
    const int moved = link + in.of_part;
    return moved < in.end ? moved : moved - in.end + in.begin;
  }

 private:
  struct Range {
    int begin, end;
    int of_part;  // links
    int first_orbit;
  };

  const Range& range_of(int link) const { return ranges_[static_cast<size_t>(range(link))]; }

  int parts_;
  std::vector<Range> ranges_;
};

}  // namespace foreflow::platform
