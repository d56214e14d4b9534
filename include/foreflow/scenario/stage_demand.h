// Resource demand of the stages of a pipeline, with the model cut as the pipeline cuts it. Gives tighter lower bounds
// than the demand of a whole replica (demand.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "foreflow/ir/written_devices.h"
#include "foreflow/scenario/demand.h"
#include "foreflow/transform/stage_model.h"

namespace foreflow::scenario {

// A communication within a stage, for one microbatch. It has a time, if the cost model has a formula for it, or a
// message whose time is simulated, or neither, if it may overlap with computation.
struct StageMessage {
  std::optional<Seconds> formula = {};
  std::optional<Message> network = {};
  int ranks                      = 0;  // number of members
  // As in transform::StageModel::Message.
  std::optional<Seconds> product;
  bool is_exact                = false;
  std::vector<int64_t> lengths = {};
  bool may_run_beside          = false;
  bool is_once                 = false;

  std::optional<transform::StageModel::Gathered> gathered = {};
  std::vector<Seconds> chunks                             = {};

  // False if `overlap_tensor` with `chunks` chunks changes nothing about this message.
  bool may_be_cut(int chunks) const {
    return chunks > 1 && (may_run_beside || std::any_of(lengths.begin(), lengths.end(), [chunks](int64_t length) {
                            return length >= chunks && length % chunks == 0;
                          }));
  }
  // True if the product that the message sums is computed in chunks, for some number of chunks.
  bool is_cut_into_chunks() const {
    return std::any_of(chunks.begin(), chunks.end(), [](Seconds chunk) { return std::isfinite(chunk.value()); });
  }
  // False if `overlap_tensor` changes nothing about this message with any number of chunks up to `chunks`.
  bool may_be_cut_by_fewer(int chunks) const {
    return chunks > 1 && (may_be_cut(chunks) || may_be_cut_by_fewer(chunks - 1));
  }
};

// The needs of each virtual stage, and the messages that transform::StageNeed::Task counts.
struct StageDemand {
  const std::vector<transform::StageNeed>& stages;
  const std::vector<StageMessage>& messages;

  // False if `overlap_tensor` with `chunks` chunks changes nothing in the program of `microbatches` microbatches.
  bool may_be_cut(int chunks, int microbatches) const {
    return std::any_of(messages.begin(), messages.end(), [&](const StageMessage& message) {
      return message.may_be_cut(chunks) && !(message.is_once && microbatches > 1);
    });
  }
};

// Finds the demands of many strategies of one model, on one or more platforms. Caches the models that strategies have
// in common, up to a limit.
class StageDemands {
 public:
  // Strategies with equal keys share a model on platforms with the same devices.
  static std::string key(const Strategy& strategy);

  // The demand of a resolved scenario whose program is `sequential`, valid until the next call. Nothing for inference,
  // programs that a file has placed on devices, unequal devices, recomputation that depends on the stages, a pipeline
  // with one microbatch, and programs that cannot be distributed in this way.
  std::optional<StageDemand> of(const Scenario& scenario, const Sequential& sequential,
                                const platform::Platform& platform);
  // The demand of the same program in a single stage, without StageNeed::trained. It is the sum of those of its stages,
  // wherever the program is cut. It is kept when the model is not, and is valid as long as this object.
  std::optional<StageDemand> uncut(const Scenario& scenario, const Sequential& sequential,
                                   const platform::Platform& platform);

 private:
  struct Uncut {
    std::vector<transform::StageNeed> stages;  // one
    std::vector<StageMessage> messages;
  };
  // The program of a group of devices, which models of different microbatches share.
  struct Source {
    std::string key;
    std::shared_ptr<const ir::Module> module;
    ir::WrittenDevices written;  // as transform::StagePrices::written
  };
  struct Model {
    std::string key;
    size_t ops;                  // of the program
    ir::WrittenDevices written;  // as Source::written
    transform::StageModel stages;
    std::vector<StageMessage> messages;
    // Numbers of transform::StageModel, by the speed between neighbours, and whether gradients are accumulated.
    std::map<std::pair<double, bool>, size_t> prices = {};
  };

  // Returns true if the schedule splits some of its backward passes.
  bool splits(const Strategy& strategy);
  // The key of the scenario's model on such a device.
  std::string model_key(const Scenario& scenario, const platform::Device& device);
  Model* model(const std::string& key, const Scenario& scenario, const Sequential& sequential,
               const platform::Device& device);
  // The demand of a model cut for the scenario. Throws RefusalError.
  static StageDemand cut(Model& model, const Scenario& scenario, const Sequential& sequential,
                         const platform::Platform& platform);
  // With the backward passes split, or whole. Throws RefusalError.
  const Source& source(const Scenario& scenario, const Sequential& sequential, bool split);
  // False where it is not possible.
  bool make(const std::string& key, const Scenario& scenario, const Sequential& sequential,
            const platform::Device& device);

  std::vector<platform::Device> devices_;  // one of each speed that was met
  // By schedule, size, and whether gradients of weights are delayed.
  std::map<std::tuple<const schedule::ScheduleDef*, int, int, int, bool>, bool> splits_;
  std::list<Source> sources_;                          // the one used last first
  std::list<Model> models_;                            // likewise
  std::map<std::string, std::optional<Uncut>> uncut_;  // by the keys of models
  std::vector<std::string> not_;                       // keys of models that cannot be made
};

}  // namespace foreflow::scenario
