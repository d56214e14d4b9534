// Figure 9: what overlap and eager 1F1B add to broadcasts, for the U-Transformer with different numbers of
// microbatches.
#include <fmt/core.h>

#include <array>

#include "reproduce/resharding_models.h"

namespace foreflow::reproduce::definitions::resharding_figure9 {
namespace {

using namespace resharding;  // NOLINT(google-build-using-namespace): of this paper

constexpr std::array kMicrobatches = {4, 8, 16, 32};

Result run(const Options& options) {
  const Model model      = models().back();
  const StageTimes stage = stage_times(options, model);
  Result result;
  std::vector<Row> ratios;
  for (size_t i = 0; i < kMicrobatches.size(); ++i) {
    const int count       = kMicrobatches[i];
    const Seconds blocked = time_of(model, stage, system("Broadcast"), count);
    const Seconds overlap = time_of(model, stage, system("Overlap"), count);
    const Seconds eager   = time_of(model, stage, system("Ours"), count);
    const auto rate       = [&](std::string_view name, Seconds time) {
      result.rows.push_back(
                {fmt::format("{} microbatches: {}, samples/s", count, name), {}, count * model.samples / time.value()});
    };
    rate("Broadcast", blocked);
    rate("Overlap", overlap);
    rate("Eager-1F1B", eager);
    if (i == 0)
      ratios.push_back(compare_stated(fmt::format("{} microbatches: Eager-1F1B over Overlap", count),
                                      stated(options, "9", "Eager-1F1B over Overlap with few microbatches"),
                                      overlap / eager));
    if (i + 1 == kMicrobatches.size()) {
      ratios.push_back(compare_stated(fmt::format("{} microbatches: Overlap over Broadcast", count),
                                      stated(options, "9", "Overlap over Broadcast with many microbatches"),
                                      blocked / overlap));
      ratios.push_back(compare_stated(fmt::format("{} microbatches: Eager-1F1B over Overlap", count),
                                      stated(options, "9", "Eager-1F1B over Overlap with many microbatches"),
                                      overlap / eager));
      ratios.push_back(compare_stated(fmt::format("{} microbatches: Eager-1F1B over Broadcast", count), 1.3 * 1.15,
                                      blocked / eager));
    }
    if (options.finished) options.finished(i + 1, kMicrobatches.size());
  }
  for (Row& row : ratios) result.rows.push_back(std::move(row));
  result.notes.push_back(
      "the paper prints no numbers for the points and none for the axis; the ratios are stated in its text, the last "
      "one is the product of the two before it. Stages as in resharding_figure7");
  result.notes.push_back(
      "the product agrees, its parts differ: with ideal overlap, 1F1B hides half of the transfers, whatever they take. "
      "With four microbatches the paper's GPUs also pay for work that all systems share and this model leaves out");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"resharding_figure9", "U-Transformer 2.1B against the number of microbatches: overlap and eager 1F1B", kPaper,
          run};
}

}  // namespace foreflow::reproduce::definitions::resharding_figure9
