#include <fmt/core.h>

#include <map>

#include "foreflow/base/text.h"
#include "foreflow/scenario/run.h"
#include "reproduce/choices.h"
#include "reproduce/measured_file.h"
#include "reproduce/passes.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::definitions::galvatron_memory {
namespace {

constexpr double kMebibyte = 1 << 20;

// "1_2_4_sp": stages, devices that share a layer, replicas; "_c": layers are computed again.
struct Config {
  int pp = 0, tp = 0, dp = 0;
  bool recomputes = false;
};
Config config_of(const std::string& text) {
  const std::vector<std::string> words = split(text, '_');
  if (words.size() < 3) return {};
  const auto pp = parse_number<int>(words[0]), tp = parse_number<int>(words[1]), dp = parse_number<int>(words[2]);
  if (!pp || !tp || !dp) return {};
  return {*pp, *tp, *dp, text.find("_c_") != std::string::npos};
}

// Activations of a rank by configuration, in MiB, of models of one and of two layers; in the order of the file.
struct Measured {
  std::string config;
  double one = 0, two = 0;
};
std::vector<Measured> read(const Options& options) {
  std::vector<Measured> all;
  for (const Published& row : read_published(measured_file(options, "layers/llama2-7b_memory_profile_MB.csv"))) {
    const std::string &config = row.word("parallel_config(pp_tp_dp)"), &key = row.word("key");
    const bool counts = config_of(config).pp == 1 && key.ends_with("bsz8_seq2048_rank0_act") &&
                        row.word("file").find("seqlen") == std::string::npos;
    if (!counts) continue;
    if (all.empty() || all.back().config != config) all.push_back({config});
    (key.starts_with("layernum[1]") ? all.back().one : all.back().two) = row.number("value_MB");
  }
  return all;
}

// A layer is what two have more than one.
Row compare_layer(const Measured& measured, const Question& asked) {
  constexpr int kBatch = 8;
  const Config config  = config_of(measured.config);
  Json source          = asked.source;
  source.member("strategy").set("tp", config.tp).set("recompute", config.recomputes ? "full" : "none");
  source.member("strategy").set("sequence_parallel", config.tp > 1);
  for (const char* key : {"microbatch_size", "global_batch"}) source.member("strategy").set(key, kBatch / config.dp);
  const PassTimes passes = passes_of_stage(scenario::run(scenario::load(source, asked.file)), 2);
  return compare(fmt::format("{}: a layer of {} samples", measured.config, kBatch / config.dp),
                 measured.two - measured.one, passes.kept.value() / kMebibyte);
}

Result run(const Options& options) {
  const Question asked = question(options, "reproductions/galvatron_memory");
  Result result;
  for (const Measured& measured : read(options)) result.rows.push_back(compare_layer(measured, asked));
  result.notes.push_back(bias_note("MiB", result));
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"galvatron_memory",
          "8 measured activations of a layer of Llama-2 7B on 8 GPUs, tp 1 to 8, with and without recomputation",
          "Miao et al., Galvatron: Efficient Transformer Training over Multiple GPUs Using Automatic Parallelism, VLDB "
          "2023 (Apache-2.0)",
          run};
}

}  // namespace foreflow::reproduce::definitions::galvatron_memory
