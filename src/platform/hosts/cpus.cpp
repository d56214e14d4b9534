#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/cpu.h"

namespace foreflow::platform {
namespace {

struct MeasuredCore {
  std::string_view name;
  double rating, clock;  // the clock in GHz
  std::string_view source;
};

constexpr MeasuredCore kCores[] = {
// clang-format off
#define FOREFLOW_CORE(...) {__VA_ARGS__},
#include "platform/hosts/cores.def"
#undef FOREFLOW_CORE
    // clang-format on
};

CpuDef cpu_with(std::string_view name, std::string_view core_name, double clock, std::string_view source) {
  const auto* core = std::find_if(std::begin(kCores), std::end(kCores),
                                  [&](const MeasuredCore& one) { return one.name == core_name; });
  FOREFLOW_CHECK(core != std::end(kCores), "a CPU has a core of the table");
  const double rating    = core->rating * clock / core->clock;
  const std::string from = clock == core->clock ? "" : fmt::format("{:.0f} at {} GHz, ", core->rating, core->clock);
  return {
      std::string(name),
      fmt::format("{} at {} GHz ({}); one thread {:.0f} ({}{})", core_name, clock, source, rating, from, core->source),
      rating};
}

std::vector<CpuDef> cpu_rows() {
  return {
  // clang-format off
#define FOREFLOW_CPU(...) cpu_with(__VA_ARGS__),
#include "platform/hosts/cpus.def"
#undef FOREFLOW_CPU
      // clang-format on
  };
}

constexpr double kMostRating = 1e6;

bool is_rating(double number) { return number > 0 && number <= kMostRating; }

Cpu rated(double rating) { return {fmt::format("{}", rating), rating}; }

}  // namespace

const Registry<CpuDef>& cpus() {
  static const Registry<CpuDef> rows("CPU", "cpus", cpu_rows());
  return rows;
}

Cpu cpu_named(const std::string& text, const std::string& where) {
  if (const auto rating = parse_number<double>(text)) {
    if (is_rating(*rating)) return rated(*rating);
    throw Error(where, "\"" + text + "\" is no rating of a CPU; write a number above 0 and up to 1e6");
  }
  const CpuDef& row = cpus().get(text, where);
  return {row.name, row.rating};
}

Cpu read_cpu(const JsonView& json) {
  if (json.json().if_string() != nullptr) return cpu_named(json.as_string(), json.where());
  const double rating = json.as_number();
  if (!is_rating(rating)) json.fail("is no rating of a CPU; write a name, or a number above 0 and up to 1e6");
  return rated(rating);
}

ValueType cpu_type() { return types::either({types::one_of(cpus().names()), types::positive(kMostRating)}); }

double time_ratio(const Cpu& here, const Cpu& there) {
  return here.rating > 0 && there.rating > 0 ? there.rating / here.rating : 1;
}

}  // namespace foreflow::platform
