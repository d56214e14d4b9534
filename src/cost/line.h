// time = fixed + flops * per_flop + bytes * per_byte, fitted so that no coefficient is negative.
#pragma once

#include <span>

#include "foreflow/cost/calibration.h"

namespace foreflow::cost {

// Returns true if two of the points differ in their flops or bytes. Otherwise, no fit can tell a fixed time from a
// rate.
bool have_different_work(std::span<const Point> points);

// The line of points of equal work is a fixed time only. Otherwise:
// Minimises the sum of squared relative errors over `points`, leaving out those of no time: the best of all subsets of
// the three terms whose least-squares solution is not negative, which is the non-negative least-squares solution
// (Lawson and Hanson 1974, chapter 23). Among equally good ones that with the fewest terms, flops before bytes before
// the fixed time.
Line fit_line(std::span<const Point> points);

// Puts the points into the order of their times on the line, then of their signatures.
void sort_along_line(Family& family);

}  // namespace foreflow::cost
