// Programs distributed pass by pass, with their arguments and results carried along, for tests that run them.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/transform/pieces.h"
#include "foreflow/transform/pipeline.h"
#include "foreflow/workload/workload.h"

namespace foreflow::test {

struct Split {
  int dp = 1, tp = 1, pp = 1, microbatches = 1;
  std::string schedule = "1f1b";
  int zero             = 0;  // this and the next two as transform::DataParallel has them
  bool overlap         = false;
  Bytes bucket{0};
  bool by_block = false, prefetch = true, keeps_gathered = false, float_gathers = false;  // also of it
  bool limit_scatters                   = false;                                          // also of it
  std::optional<ir::DType> reduce_dtype = std::nullopt;                                   // also of it
  int scattered                         = 1;                                              // of transform::Pipeline
  bool shares_functions                 = false;                                          // likewise
  bool sends                            = false;                                          // on streams of their own
  int chunks                            = 1;  // of transform::overlap_tensor
  int cp = 1, ep = 1;
  std::optional<int> virtual_stages   = {};  // nothing: as many as the schedule asks for
  bool delay_weight_gradients         = false;
  transform::StagePartition partition = transform::StagePartition::balanced;
  transform::LayerShare layers        = {};    // of the partition `layers`
  bool sequence = false, vocabulary = false;   // of transform::Sharding
  std::vector<int> stage_tp             = {};  // per device of the pipeline; empty: all have `tp`
  std::vector<bool> stage_sequence      = {};  // the same for `sequence`
  std::vector<int> stage_cp             = {};  // the same for `cp`
  transform::ContextAttention attention = transform::ContextAttention::all_gather;  // of unequal stages
  double clip                           = 0;  // above 0: the largest norm of the gradients
};
std::string to_string(
    const Split& split);  // "dp=2 tp=1 pp=2 microbatches=4 1f1b", and "cp=2 ep=4" where they are above 1

// The program of one device of a model family: sizes as the JSON members of a scenario's workload.
ir::Module family(std::string_view name, const std::string& sizes, int64_t batch, workload::Mode mode,
                  ir::DType dtype = ir::DType::f32);

// Numbers for the parameters of the entry, which are annotated with types: floats in [-0.5, 0.5], not negative for
// second moments (names that end in ".v"); integers in [0, below).
std::vector<ir::Array> random_arguments(const ir::Module& module, std::mt19937_64& random, int64_t below);

// What the pass pipeline is asked for. Throws Error at "test" when the schedule refuses.
transform::Pipeline pipeline(int pp, int microbatches, const std::string& schedule = "1f1b",
                             std::optional<int> virtual_stages = {});

// shard, then split_data, then pipeline where there are stages or microbatches, then replicate, and clip_gradients at
// the end: as scenarios do it.
std::vector<transform::Distributed> distribute(const ir::Module& module, const Split& split);

// Runs the last of `steps` in the reference executor on the arguments of the program before the first, and returns the
// results of that program.
std::vector<ir::Array> run(const std::vector<transform::Distributed>& steps, const std::vector<ir::Array>& arguments,
                           size_t results);

// The largest difference of two arrays of the same shape over the largest magnitude in `expected`; infinite where the
// shapes differ. For tuples that of the element that differs most.
double relative_difference(const ir::Array& actual, const ir::Array& expected);

}  // namespace foreflow::test
