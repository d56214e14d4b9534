#include "foreflow/simulate/simulate.h"

#include "foreflow/base/error.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "simulate/fold/fold_compact.h"

namespace foreflow::simulate {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name##_engine { EngineDef row(); }
#include "simulate/engines/engines.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

Run EngineDef::run(const stream::CompactProgram& program, const platform::Platform& platform, const Options& options,
                   const Known& known) const {
  check(options.disturbances, platform);
  auto folded = simulate_folded == nullptr ? std::nullopt : fold(program, platform, options, FoldedFor::one_run, known);
  if (folded) {
    try {
      stream::Timeline timeline = simulate_folded(*folded, platform, options);
      return {std::move(folded->program), std::move(timeline)};
    } catch (const Error&) {
      // Errors refer to the original program, not to a folded one.
    }
  }
  stream::Program whole     = stream::expand(program);
  stream::Timeline timeline = simulate(whole, platform, options);
  return {std::move(whole), std::move(timeline)};
}

const Registry<EngineDef>& engines() {
  // clang-format off
  static const Registry<EngineDef> rows("engine", "engines", {
#define FOREFLOW_ROW(name) definitions::name##_engine::row(),
#include "simulate/engines/engines.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::simulate
