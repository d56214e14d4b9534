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

ir::OpDef with_stated_attributes(ir::OpDef row) {
  const auto stated = std::lower_bound(kStatedAttributes.begin(), kStatedAttributes.end(), row.name,
                                       [](const StatedAttributes& a, std::string_view op) { return a.op < op; });
  const bool has    = stated != kStatedAttributes.end() && stated->op == row.name;
  row.attributes    = has ? stated->attributes : std::string_view();
  return row;
}

}  // namespace

const ir::OpTable& table() {
  // clang-format off
  static const ir::OpTable rows("op", "ops", {
#define FOREFLOW_ROW(name) with_stated_attributes(definitions::name::row()),
#include "ops/ops.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::ops
