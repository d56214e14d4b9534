#include "foreflow/ops/table.h"

#include <algorithm>
#include <array>

namespace foreflow::ops {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { ir::OpDef row(); }
#include "ops/ops.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

namespace {

struct StatedAttributes {
  std::string_view op, attributes;
};

#define ATTRIBUTES(op, attributes) StatedAttributes{#op, attributes},
constexpr std::array kStatedAttributes = {
#include "ops/attributes.def"
};
#undef ATTRIBUTES
static_assert(std::is_sorted(kStatedAttributes.begin(), kStatedAttributes.end(),
                             [](const StatedAttributes& a, const StatedAttributes& b) { return a.op < b.op; }));

struct MostOperands {
  std::string_view op;
  size_t number;
};

#define OPERANDS(op, number) MostOperands{#op, number},
constexpr std::array kMostOperands = {
#include "ops/operands.def"
};
#undef OPERANDS
static_assert(std::is_sorted(kMostOperands.begin(), kMostOperands.end(),
                             [](const MostOperands& a, const MostOperands& b) { return a.op < b.op; }));

std::optional<size_t> most_operands(std::string_view op) {
  const auto found = std::lower_bound(kMostOperands.begin(), kMostOperands.end(), op,
                                      [](const MostOperands& a, std::string_view name) { return a.op < name; });
  return found != kMostOperands.end() && found->op == op ? std::optional(found->number) : std::nullopt;
}

ir::OpDef with_stated_facts(ir::OpDef row) {
  const auto stated = std::lower_bound(kStatedAttributes.begin(), kStatedAttributes.end(), row.name,
                                       [](const StatedAttributes& a, std::string_view op) { return a.op < op; });
  const bool has    = stated != kStatedAttributes.end() && stated->op == row.name;
  row.attributes    = has ? stated->attributes : std::string_view();
  row.most_operands = most_operands(row.name);
  return row;
}

}  // namespace

const ir::OpTable& table() {
  // clang-format off
  static const ir::OpTable rows("op", "ops", {
#define FOREFLOW_ROW(name) with_stated_facts(definitions::name::row()),
#include "ops/ops.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::ops
