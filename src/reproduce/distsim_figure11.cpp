// How the throughput of GPT 145B on 128 GPUs (8 ways of tensor, 16 stages) grows with the batch, relative to batch 1.
// The paper prints no numbers, so that they stand against the equation of the system that it compares itself with:
// Narayanan et al. (2021), equation for the time of a batch: (b + p - 1) (t_f + t_b) with microbatches of one sample.
#include <fmt/core.h>

#include "foreflow/base/process.h"
#include "reproduce/choices.h"

namespace foreflow::reproduce::definitions::distsim_figure11 {
namespace {

constexpr int kLargestBatch = 256;

double samples_per_second(const Question& question, int batch) {
  Json source = question.source;
  source.member("strategy").set("global_batch", batch);
  return scenario::run(scenario::load(source, question.file)).summary.samples_per_second;
}

Result run(const Options& options) {
  const Question scenario = question(options, "reproductions/distsim_figure11");
  const auto stages       = static_cast<int>(*scenario.source.find("strategy")->find("pp")->if_int());
  std::vector<int> batches;
  for (int batch = 1; batch <= kLargestBatch; batch *= 2) batches.push_back(batch);
  const auto answers = map_in_children(
      batches.size(), options.jobs,
      [&](size_t i) { return Json(samples_per_second(scenario, batches[i])).dump_compact(); },
      [&](size_t done) {
        if (options.finished) options.finished(done, batches.size());
      });
  Result result;
  double first = 0;
  for (size_t i = 0; i < batches.size(); ++i) {
    const Json answer = parse_json(answers[i], scenario.file);
    const double ours = JsonView(answer, scenario.file).as_number();
    if (i == 0) first = ours;
    const double expected = static_cast<double>(batches[i]) * stages / (batches[i] + stages - 1);
    result.rows.push_back(compare(fmt::format("batch {}: throughput relative to batch 1", batches[i]), expected,
                                  ours / first, Json::object().set("samples_per_s", ours)));
  }
  result.notes.push_back(
      "published: the equation of Narayanan et al. (2021), which knows no optimizer step and no unequal stages; the "
      "figure itself prints no numbers");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {
      "distsim_figure11", "throughput of GPT 145B on 128 A100 (8M16P1D) against the batch, relative to batch 1",
      "Lu et al., DistSim (CF '23), Figure 11; Narayanan et al., Efficient Large-Scale Language Model Training (SC21)",
      run};
}

}  // namespace foreflow::reproduce::definitions::distsim_figure11
