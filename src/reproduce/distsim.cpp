#include "reproduce/distsim.h"

#include <fmt/core.h>

#include "foreflow/base/process.h"

namespace foreflow::reproduce::distsim {
namespace {

constexpr int kGpus = 16;

Bar predict(const Question& question, Bar bar) {
  Json source    = question.source;
  Json& strategy = source.member("strategy");
  strategy.set("dp", bar.dp).set("tp", bar.tp).set("pp", bar.pp);
  // Pipelines take one sample after another.
  const int samples = static_cast<int>(*strategy.find("global_batch")->if_int()) / bar.dp;
  strategy.set("microbatches", bar.pp == 1 ? 1 : samples);
  try {
    const report::Summary summary = scenario::run(scenario::load(source, question.file)).summary;
    if (!summary.fits) {
      bar.why = "does not fit in memory";
    } else {
      bar.iterations_per_second = 1 / summary.iteration_time.value();
    }
  } catch (const RefusalError& error) {
    bar.why = error.refusal().why;
  }
  return bar;
}

}  // namespace

std::vector<Bar> bars(const Options& options) {
  const Question base = question(options, "reproductions/distsim_table2");
  std::vector<Bar> all;
  for (int pp = 1; pp <= kGpus; pp *= 2) {
    for (int tp = 1; tp * pp <= kGpus; tp *= 2) all.push_back({kGpus / (tp * pp), tp, pp, 0, ""});
  }
  const auto answers = map_in_children(
      all.size(), options.jobs,
      [&](size_t i) {
        const Bar bar = predict(base, all[i]);
        return Json::object().set("rate", bar.iterations_per_second).set("why", bar.why).dump_compact();
      },
      [&](size_t done) {
        if (options.finished) options.finished(done, all.size());
      });
  for (size_t i = 0; i < all.size(); ++i) {
    const Json answer            = parse_json(answers[i], base.file);
    all[i].iterations_per_second = JsonView(answer, base.file).at("rate").as_number();
    all[i].why                   = *answer.find("why")->if_string();
  }
  return all;
}

std::string assumptions() {
  return "the paper gives neither the model's width (1024, 16 heads and 512 tokens are assumed, as of BERT-large), nor "
         "its number type (float32, the default of PyTorch for CUDA 11.6, whose products do not use TF32), nor the "
         "network of the servers (one 100 Gb/s NIC; over PCIe what NCCL reaches on servers of L40S), nor the "
         "microbatches (one sample each); ranks and stages are laid out as Megatron-LM does; times are a roofline, no "
         "number is fitted to the rows, but these assumptions were chosen with the published ones in view";
}

}  // namespace foreflow::reproduce::distsim
