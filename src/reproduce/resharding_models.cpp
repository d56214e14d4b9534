#include "reproduce/resharding_models.h"

#include <array>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"
#include "reproduce/choices.h"

namespace foreflow::reproduce::resharding {
namespace {

// The up half of the U-Transformer needs the output of the last innermost block and a skip of each block before: cut
// after layer 8 of 13, as the artifact's suite_unet.py does.
std::vector<reshard::Tensor> skips(int64_t samples) {
  const Bytes f32(4);
  return {{"up 0", {samples, 2688, 4, 4}, f32},
          {"skip 2", {samples, 2688, 8, 8}, f32},
          {"skip 1", {samples, 1344, 16, 16}, f32},
          {"skip 0", {samples, 672, 32, 32}, f32}};
}

std::vector<reshard::Move> moves(const Model& model, bool back) {
  std::vector<reshard::Move> result;
  const auto spec = reshard::parse_spec(model.spec, model.name);
  const reshard::Layout first{reshard::consecutive({model.dp, model.tp}, 0), spec};
  const reshard::Layout second{reshard::consecutive({model.dp, model.tp}, kNodeSize), spec};
  for (const reshard::Tensor& tensor : model.boundary)
    result.push_back({tensor, back ? second : first, back ? first : second});
  return result;
}

reshard::Plan plan(const std::vector<reshard::Move>& moves, const System& system, const platform::Platform& platform) {
  return reshard::strategies()
      .get(system.strategy, "reproduce")
      .plan(reshard::unit_tasks(moves), reshard::ports_of(platform, moves), {});
}

Seconds iteration(const Question& question, int64_t batch) {
  Json source = question.source;
  source.member("strategy").set("global_batch", batch);
  return scenario::run(scenario::load(source, question.file)).summary.iteration_time;
}

}  // namespace

std::vector<Model> models() {
  const std::vector<reshard::Tensor> hidden = {{"hidden", {16, 1024, 2560}, Bytes(2)}};
  return {{"GPT case 1", "reproductions/resharding_gpt", 2, 2, 64, 16, hidden, "S0RR"},
          {"GPT case 2", "reproductions/resharding_gpt", 4, 1, 64, 16, hidden, "S0RR"},
          {"U-Transformer", "reproductions/resharding_utransformer", 4, 1, 32, 64, skips(64), "S0RRR"}};
}

StageTimes stage_times(const Options& options, const Model& model) {
  constexpr int64_t kMore = 8;  // microbatches
  Question asked          = question(options, model.scenario);
  set_strategy(asked, "dp", model.dp);
  set_strategy(asked, "tp", model.tp);
  set_strategy(asked, "microbatch_size", model.samples / model.dp);
  const Seconds one  = iteration(asked, model.samples);
  const Seconds many = iteration(asked, (1 + kMore) * model.samples);
  const Seconds both = (many - one) / static_cast<double>(2 * kMore);
  return {0.25 * both, 0.75 * both};
}

const System& system(std::string_view name) {
  static const std::array<System, 6> kAll = {{{"Send/Recv", "send_recv", "1f1b", Overlap::none},
                                              {"Alpa", "alpa", "1f1b", Overlap::none},
                                              {"Broadcast", "broadcast", "1f1b", Overlap::none},
                                              {"Overlap", "broadcast", "1f1b", Overlap::full},
                                              {"Ours", "broadcast", "eager_1f1b", Overlap::full},
                                              {"Signal", "signal", "eager_1f1b", Overlap::full}}};
  for (const System& one : kAll) {
    if (one.name == name) return one;
  }
  throw InternalError("the paper has no such system");
}

Seconds time_of(const Model& model, const StageTimes& stage, const System& system, int microbatches) {
  const auto platform = nodes(2);
  TwoStages pipeline;
  pipeline.schedule     = system.schedule;
  pipeline.microbatches = microbatches;
  pipeline.forward      = {stage.forward, stage.forward};
  pipeline.backward     = {stage.backward, stage.backward};
  for (int device = 0; device < 2 * kNodeSize; ++device) nth(pipeline.devices, device / kNodeSize).push_back(device);
  pipeline.activations = plan(moves(model, false), system, platform);
  pipeline.gradients   = plan(moves(model, true), system, platform);
  pipeline.overlap     = system.overlap;
  return reproduce::time_of(pipeline, platform);
}

}  // namespace foreflow::reproduce::resharding
