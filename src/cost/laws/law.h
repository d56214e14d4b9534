// Laws: how the time of a family of kernels or collectives follows from its sizes, with constants that have a physical
// meaning and are fitted to measurements of one device.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/platform/data_sheet.h"

namespace foreflow::cost {

// The unit of a constant in a file: "3.2us", "50GBps", or a plain number.
enum class Unit : uint8_t { seconds, bandwidth, number };

enum class Use : uint8_t {
  fitted,
  clock,     // fitted, and alone where measurements are few: how fast the processors run, and for how long
  refining,  // fitted after the others, which keep their values: what few of the measured sets show
  given,     // it is `start` for every device, because no published measurement is of sizes at which it decides
  serving  // fitted, and 0 in prices of training: what only the measured calls do, as those of a program that serves a
           // model
};

struct Constant {
  std::string_view name;
  Unit unit;
  double start;  // of the fit, in SI units; above 0
  std::string_view meaning;
  Use use = Use::fitted;
  // The largest value that the meaning of the constant allows. A fit does not go beyond it, also where few samples
  // depend on the constant.
  double most = std::numeric_limits<double>::infinity();
  // Another start, from which the fit descends as well: what it finds depends on where it begins. 0: none.
  double other_start = 0;
};

// The device, by its data sheet.
struct Hardware {
  double peak       = 0;  // flop/s in the data type of the family
  double bandwidth  = 0;  // of its memory, bytes/s
  double processors = 1;  // streaming multiprocessors
  double cache      = 0;  // bytes of the cache that they share
};

// One size of a family. What the numbers are is up to the law; the comments of its file say so.
using Sizes = std::array<double, 10>;

struct LawDef {
  std::string_view name;
  std::string_view doc;
  std::vector<Constant> constants;
  // Seconds; `constants` are in the order of the list.
  double (*seconds)(std::span<const double> constants, const Sizes& sizes, const Hardware& hardware);
};

const Registry<LawDef>& laws();

// The arithmetic of the backward pass of flash attention in forward passes: five products instead of two (Dao 2023).
constexpr double kBackwardOfAttention = 2.5;

// (a^n + b^n)^(1/n): the longer of two times that overlap, and more where they are of a length. n > 0.
double joined(double a, double b, double n);

}  // namespace foreflow::cost
