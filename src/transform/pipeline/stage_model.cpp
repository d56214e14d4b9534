#include "foreflow/transform/stage_model.h"

#include <algorithm>
#include <bit>
#include <set>

#include "foreflow/base/refusal.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ir/views.h"
#include "foreflow/transform/recompute.h"
#include "transform/pipeline/anchors.h"
#include "transform/pipeline/gradient_terms.h"
#include "transform/pipeline/op_prices.h"
#include "transform/pipeline/overlapped_messages.h"
#include "transform/pipeline/pipeliner.h"
#include "transform/pipeline/sent_values.h"
#include "transform/pipeline/stages.h"
#include "transform/pipeline/summed_product.h"
#include "transform/pipeline/task_peaks.h"
#include "transform/pipeline/trained_reads.h"
#include "transform/pipeline/weight_gradients.h"
#include "transform/pipeline/working_sets.h"

namespace foreflow::transform {
namespace {

bool communicates(const ir::Op& op) { return op.def->role == ir::Role::communication; }

bool is_same_task(const StagedOp& a, const StagedOp& b) { return a.stage == b.stage && a.phase == b.phase; }

// The number of devices that have values.
size_t devices_of(const interpret::Values<LaidOut>& values) {
  std::set<int32_t> devices;
  for (const LaidOut& value : values) devices.insert(ir::device_of(value.value.type).index);
  devices.erase(0);  // on no device
  return devices.size();
}

void add(StageNeed::Task& task, Seconds compute, int32_t message) {
  task.compute += compute;
  if (message >= 0) ++task.messages[static_cast<size_t>(message)];
}

}  // namespace

class StageModel::Program {
 public:
  Program(std::shared_ptr<const ir::Module> module, const ir::OpTable& ops, bool split_backward, int parts, int shards,
          const Price& price)
      : split_(split_backward),
        module_(std::move(module)),
        function_(module_->entry()),
        parts_(parts),
        layouts_(interpret_layouts(*module_, parts, "microbatches")),
        values_(layouts_.entry().values),
        phases_(phases_of(*module_, function_, values_)),
        ends_(ends_of_groups(function_, phases_, values_)),
        anchors_(anchors_of(function_, phases_, ends_)),
        makers_(ir::makers_of(function_)),
        overlap_(function_, values_, makers_, parts_),
        shards_(values_, shards),
        group_(shards_.count()),
        devices_(devices_of(values_)),
        is_trained_(function_.parameters.size()),
        gradient_of_(function_.parameters.size(), ir::ValueId::none),
        seconds_(function_.ops.size()),
        message_(function_.ops.size(), -1),
        not_awaited_(function_.ops.size(), -1) {
    price_ops(price);
    number_messages(ops, price);
    find_weights(ops, price);
    find_held();
    in_parts_     = values_in_parts(function_, [this](size_t value) { return root(value); });
    working_sets_ = working_sets(
        function_, phases_, anchors_, in_parts_,
        {[this](size_t value) { return root(value); }, [this](size_t value) { return is_stored(value); },
         [this](size_t value) { return bytes_of(value); }, [this](size_t value) { return whole_bytes_of(value); }});
  }

  const std::vector<Message>& messages() const { return messages_; }

  size_t add_prices(const StagePrices& prices) {
    places_.push_back(cut_places(function_, phases_, ends_, anchors_, values_, prices, parts_));
    return places_.size() - 1;
  }

  const std::vector<StageNeed>& needs(const Pipeline& wanted, size_t prices) {
    const schedule::Plan plan{wanted.size, wanted.schedule->mapping, {}};  // the order of tasks cuts nothing
    const Cuts cuts           = find_cuts(wanted, plan, prices);
    const auto [found, fresh] = needs_.try_emplace(cuts);
    if (fresh) found->second = needs_of(cuts);
    return found->second;
  }

 private:
  Bytes whole_bytes_of(size_t value) const {
    return ir::bytes_of(local_type(values_[value].value.type, values_[value].layout, parts_));
  }
  // The mean over the devices of the group.
  Bytes bytes_of(size_t value) const { return (shards_.copies_of(values_[value]) / group_) * whole_bytes_of(value); }

  // The time of an op on a device that runs it.
  Seconds on_one_device(size_t op) const {
    return (group_ / shards_.copies_of(function_.ops[op], values_)) * seconds_[op];
  }

  void price_ops(const Price& price) {
    StagePrices prices;
    prices.op = [&](const ir::OpCall& call, std::span<const ir::Type> outputs) {
      return call.def.role == ir::Role::communication ? Seconds(0) : price(call, outputs);
    };
    OpPrices price_of(prices, parts_);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (phases_[o] != StagePhase::anywhere && !communicates(op))
        seconds_[o] = (shards_.copies_of(op, values_) / group_) * price_of(function_, op, values_).seconds;
    }
  }

  void number_messages(const ir::OpTable& ops, const Price& price) {
    SequenceTable known;
    ir::AttributeKeys attributes;
    std::vector<uint64_t> words;
    const ProductPieces pieces(function_, values_, parts_, ops, price);
    const auto share        = [&](const ir::Op& op) { return shards_.copies_of(op, values_) / group_; };
    const auto all_computes = overlap_.computes_beside(seconds_, pieces, share);
    const auto add_word     = [&](Seconds time) { words.push_back(std::bit_cast<uint64_t>(time.value())); };
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (phases_[o] == StagePhase::anywhere || !communicates(op)) continue;
      words_of(function_, op, attributes.of(op.attributes), values_, words);  // in `words`
      const std::vector<int64_t> lengths = overlap_.lengths_of(op);
      words.insert(words.end(), lengths.begin(), lengths.end());
      words.push_back(4 * lengths.size() + (overlap_.may_run_beside(op) ? 2 : 0) +
                      (phases_[o] == StagePhase::update ? 1 : 0));
      const auto computes = all_computes.find(o);
      words.push_back(computes == all_computes.end() ? 0 : 1);
      if (computes != all_computes.end()) {
        for (const Seconds time : computes->second.times()) add_word(time);
      }
      const auto product = summed_product(function_, makers_, o);
      if (product) {
        add_word(on_one_device(product->op));
        words.push_back(product->is_exact ? 1 : 2);
      }
      const auto number = [&](const std::optional<SummedProduct>& beside) {
        const auto found = static_cast<int32_t>(known.number(words));
        if (static_cast<size_t>(found) < messages_.size()) return found;
        messages_.push_back(message_of(op, beside, lengths));
        messages_.back().is_once = phases_[o] == StagePhase::update;
        if (beside && beside->is_exact) messages_.back().chunks = overlap_.chunks(op, pieces);
        if (computes != all_computes.end()) {
          messages_.back().product  = computes->second.computes;
          messages_.back().gathered = computes->second.gathered;
        }
        return found;
      };
      message_[o] = number(product);
      if (!product) continue;
      // It is not certain that what is recomputed waits for its sums.
      if (function_.ops[product->op].attributes->find(kRecompute) != nullptr) {
        words.back() = 3;
        message_[o]  = number(std::nullopt);
        continue;
      }
      words.back()    = 3;
      not_awaited_[o] = number(std::nullopt);
    }
  }

  Message message_of(const ir::Op& op, const std::optional<SummedProduct>& product,
                     const std::vector<int64_t>& lengths) const {
    Message message{&op, {}, {}, {}, product && product->is_exact, lengths, overlap_.may_run_beside(op)};
    if (product) message.product = on_one_device(product->op);
    for (const ir::ValueId id : function_.inputs(op)) {
      if (id == ir::ValueId::none)
        message.inputs.emplace_back();
      else
        add_operand(values_[ir::index(id)], message.inputs);
    }
    for (uint32_t i = 0; i < op.result_count; ++i) add_operand(values_[op.first_result + i], message.outputs);
    return message;
  }

  // The second of two shards stands for all but the first.
  void add_operand(const LaidOut& value, std::vector<ir::Type>& operands) const {
    const ir::Type type = local_type(value.value.type, value.layout, parts_);
    const int copies    = shards_.copies_of(value);
    if (copies == 1) operands.push_back(type);
    for (int copy = 0; copies > 1 && copy < copies; ++copy)
      operands.push_back(ir::moved(type, ir::Device(ir::device_of(type).index + copy)));
  }

  // Per optimizer op: what belongs to its weight, at the forward op that reads the weight first.
  struct Weight {
    int32_t anchor;
    Bytes weight, states, gradient;
    Seconds update, accumulation;
  };
  void find_weights(const ir::OpTable& ops, const Price& price) {
    std::vector<int32_t> first(function_.parameters.size(), -1);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (phases_[o] != StagePhase::forward) continue;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id == ir::ValueId::none || ir::index(id) >= first.size() || first[ir::index(id)] >= 0) continue;
        first[ir::index(id)] = anchors_[o];
      }
    }
    for (size_t i = 0; i < first.size(); ++i) {
      if (function_.parameters[i] == ir::ParameterRole::weight && first[i] >= 0)
        weights_.push_back({first[i], bytes_of(i), Bytes(0), Bytes(0), Seconds(0), Seconds(0)});
    }
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (function_.ops[o].def->role == ir::Role::optimizer) add_update(o, first);
    }
    const ir::OpDef& add    = ops.get("Add", "ops");
    const auto accumulation = [&](size_t value) {
      const std::vector<ir::Type> terms(2, values_[value].value.type);
      const std::vector<const ir::Array*> known(2, nullptr);
      const ir::Attributes none;
      return (shards_.copies_of(values_[value]) / group_) *
             price({add, none, terms, known, 1}, std::span(terms).first(1));
    };
    for (auto& [gradient, weight] : gradients_) weights_[weight].accumulation = accumulation(gradient);
    for (const auto& [gradient, terms] : terms_) {
      for (const size_t term : terms) accumulations_[term] = accumulation(term);
    }
  }

  // What a device keeps of a gradient while the microbatches add to it. Not known where it is summed over devices after
  // all microbatches.
  Bytes gradient_bytes(ir::ValueId gradient) const {
    const int32_t maker = makers_[ir::index(gradient)];
    const bool summed   = maker >= 0 && phases_[static_cast<size_t>(maker)] == StagePhase::update;
    return summed ? Bytes(0) : bytes_of(ir::index(gradient));
  }

  // The operands are the weight, its gradient and its states; or all weights, then all gradients.
  void add_update(size_t o, const std::vector<int32_t>& first) {
    const auto inputs = function_.inputs(function_.ops[o]);
    const bool many   = inputs.size() == size_t{2} * function_.ops[o].result_count;
    const size_t rows = many ? function_.ops[o].result_count : 1;
    for (size_t row = 0; row < rows; ++row) {
      const size_t owner = ir::index(inputs[row]);
      if (inputs[row] == ir::ValueId::none || owner >= first.size() || first[owner] < 0) continue;
      const ir::ValueId gradient = inputs[row + rows];
      if (gradient != ir::ValueId::none && values_[ir::index(gradient)].layout.is_partial())
        gradient_of_[owner] = gradient;
      if (gradient != ir::ValueId::none) add_terms(function_, phases_, values_, makers_, ir::index(gradient), terms_);
      Weight weight{first[owner], Bytes(0), Bytes(0), gradient_bytes(gradient), Seconds(0), Seconds(0)};
      if (weight.gradient > Bytes(0) && values_[ir::index(gradient)].layout.is_partial()) {
        gradients_.emplace(ir::index(gradient), weights_.size());
        is_trained_[owner] = true;
      }
      for (size_t i = 2; !many && i < inputs.size(); ++i) {
        const bool state = inputs[i] != ir::ValueId::none && ir::index(inputs[i]) < first.size() &&
                           function_.parameters[ir::index(inputs[i])] == ir::ParameterRole::weight;
        if (state) weight.states += bytes_of(ir::index(inputs[i]));
      }
      weight.update = seconds_[o] / static_cast<double>(rows);
      weights_.push_back(weight);
    }
  }

  // A forward value is held by the stage that makes it, if a backward op of that stage reads it; a view keeps what it
  // looks at.
  struct Held {
    int32_t maker, reader;  // anchors
    Bytes bytes;
  };
  void find_held() {
    std::vector<int32_t> reader(function_.values.size(), -1);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (phases_[o] != StagePhase::backward) continue;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ir::ValueId::none) reader[ir::index(id)] = std::max(reader[ir::index(id)], anchors_[o]);
      }
    }
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op = function_.ops[o];
      if (phases_[o] != StagePhase::forward) continue;
      for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value) {
        if (reader[value] < 0 || values_[value].value.known) continue;
        const bool view =
            ir::shares_operand(op) && op.result_count == 1 && function_.inputs(op)[0] != ir::ValueId::none;
        if (view) {
          int32_t& base = reader[ir::index(function_.inputs(op)[0])];
          base          = std::max(base, reader[value]);
        } else {
          held_.push_back({anchors_[o], reader[value], bytes_of(value)});
        }
      }
    }
  }

  // Of the activations and their gradients. Gradients of weights may be added up where they are made.
  bool is_stored(size_t value) const {
    return value >= function_.parameters.size() && !values_[value].value.known && !values_[value].layout.is_partial();
  }

  // The value whose memory this one is, or is a part of.
  size_t root(size_t value) const {
    for (int32_t maker = makers_[value]; maker >= 0; maker = makers_[value]) {
      const ir::Op& op = function_.ops[static_cast<size_t>(maker)];
      if (!ir::shares_operand(op) || function_.inputs(op)[0] == ir::ValueId::none) break;
      value = ir::index(function_.inputs(op)[0]);
    }
    return value;
  }

  Cuts find_cuts(const Pipeline& wanted, const schedule::Plan& plan, size_t prices) {
    const auto stages = static_cast<size_t>(plan.stages());
    if (stages == 1) return {};
    const std::vector<CutPlace>& places = places_[prices];
    if (wanted.partition == StagePartition::layers) {
      if (!layers_) layers_ = layer_ends(*module_, places, wanted.layers.layers);
      return layer_cuts(places, *layers_, wanted);
    }
    const StageLimits limits = limits_of(wanted, plan);
    Cuts cuts;
    if (wanted.partition == StagePartition::uniform) {
      cuts = uniform_cuts(places, limits.shares);
    } else {
      // Without a limit of memory the cuts are the same for many schedules.
      StageLimits unlimited = limits;
      unlimited.memory      = Bytes(0);
      unlimited.in_flight.clear();
      cuts = cached_cuts(prices, unlimited);
      if (limits.memory > Bytes(0) && !fit(places, cuts, limits)) cuts = cached_cuts(prices, limits);
    }
    if (cuts.size() + 1 < stages) throw RefusalError(Cause::stages, "pipeline: stages", "has too few ops");
    return cuts;
  }

  const Cuts& cached_cuts(size_t prices, const StageLimits& limits) {
    const auto [found, fresh] =
        cuts_.try_emplace({prices, limits.shares, limits.in_flight, limits.memory.value(), limits.seconds_per_byte});
    if (fresh) found->second = balanced_cuts(quiet_places(places_[prices], limits.shares.size()), limits);
    return found->second;
  }

  std::vector<StageNeed> needs_of(const Cuts& cuts) const {
    StageNeed none;
    for (StageNeed::Task* task : {&none.forward, &none.input_grad, &none.weight_grad})
      task->messages.resize(messages_.size());
    std::vector<StageNeed> needs(cuts.size() + 1, none);
    const auto stage_of = [&](int32_t anchor) {
      return static_cast<size_t>(std::lower_bound(cuts.begin(), cuts.end(), anchor) - cuts.begin());
    };
    std::vector<StagedOp> staged;
    for (size_t o = 0; o < phases_.size(); ++o)
      staged.push_back({phases_[o], anchors_[o] < 0 ? 0 : static_cast<int>(stage_of(anchors_[o]))});
    if (split_) mark_weight_gradients(function_, values_, staged);
    std::vector<int32_t> messages = message_;
    for (size_t o = 0; o < staged.size(); ++o) {
      StageNeed& need = needs[static_cast<size_t>(staged[o].stage)];
      const bool last = o + 1 == staged.size() || !is_same_task(staged[o], staged[o + 1]);
      if (last && not_awaited_[o] >= 0) messages[o] = not_awaited_[o];
      if (staged[o].phase == StagePhase::forward) add(need.forward, seconds_[o], messages[o]);
      if (staged[o].phase == StagePhase::backward) add(need.input_grad, seconds_[o], messages[o]);
      if (staged[o].phase == StagePhase::weight_grad) add(need.weight_grad, seconds_[o], messages[o]);
    }
    for (const Weight& weight : weights_) {
      StageNeed& need = needs[stage_of(weight.anchor)];
      need.weights += weight.weight;
      need.states += weight.states;
      need.gradients += weight.gradient;
      need.update += weight.update;
      need.accumulation += weight.accumulation;
    }
    add_weights_read(staged, needs);
    for (const auto& [gradient, terms] : terms_) {
      for (const size_t term : terms)
        needs[stage_of(anchors_[static_cast<size_t>(makers_[term])])].accumulation_of_terms += accumulations_.at(term);
    }
    for (StageNeed& need : needs) need.accumulation += need.accumulation_of_terms;
    const StagedProgram program{function_, staged,   values_, makers_, gradient_of_,
                                seconds_,  messages, shards_, parts_,  devices_};
    add_sent(program, needs);
    add_shared(program, terms_, needs);
    const auto trained = trained_reads(program, needs.size());
    for (size_t stage = 0; stage < needs.size(); ++stage) needs[stage].trained = trained[stage];
    if (split_) add_held_for_weights(staged, needs);
    for (const Held& held : held_) {
      if (stage_of(held.maker) == stage_of(held.reader)) needs[stage_of(held.maker)].held += held.bytes;
    }
    for (const WorkingSet& set : working_sets_) {
      StageNeed& need                 = needs[stage_of(set.anchor)];
      need.peaks.working_set          = std::max(need.peaks.working_set, set.whole);
      need.peaks_in_parts.working_set = std::max(need.peaks_in_parts.working_set, set.in_parts);
    }
    for (const bool in_parts : {false, true}) {
      const auto peaks = task_peaks(
          function_, staged, needs.size(), [this](size_t value) { return root(value); },
          // What no sample changes may be computed once for all microbatches.
          [&](size_t value) {
            const bool counts =
                is_stored(value) && values_[value].layout.is_split() && !(in_parts && in_parts_.contains(value));
            return counts ? bytes_of(value) : Bytes(0);
          });
      for (size_t stage = 0; stage < needs.size(); ++stage) {
        StageNeed::Peaks& of = in_parts ? needs[stage].peaks_in_parts : needs[stage].peaks;
        of.forward           = peaks[stage].forward;
        of.backward          = peaks[stage].backward;
        of.input_grad        = peaks[stage].input_grad;
      }
    }
    return needs;
  }

  void add_weights_read(const std::vector<StagedOp>& staged, std::vector<StageNeed>& needs) const {
    std::set<std::tuple<StagePhase, int, ir::ValueId>> seen;
    for (size_t o = 0; o < staged.size(); ++o) {
      const auto [phase, stage] = staged[o];
      if (phase != StagePhase::forward && phase != StagePhase::backward) continue;
      StageNeed& need = needs[static_cast<size_t>(stage)];
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        const bool weight = id != ir::ValueId::none && ir::index(id) < is_trained_.size() && is_trained_[ir::index(id)];
        if (weight && seen.emplace(phase, stage, id).second)
          (phase == StagePhase::forward ? need.read_forward : need.read_backward) += bytes_of(ir::index(id));
      }
    }
  }

  void add_held_for_weights(const std::vector<StagedOp>& staged, std::vector<StageNeed>& needs) const {
    std::vector<bool> seen(function_.values.size());
    for (size_t o = 0; o < staged.size(); ++o) {
      if (staged[o].phase != StagePhase::weight_grad) continue;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id == ir::ValueId::none) continue;
        const size_t value  = root(ir::index(id));
        const int32_t maker = makers_[value];
        if (!is_stored(value) || seen[value] || maker < 0) continue;
        const StagedOp& made = staged[static_cast<size_t>(maker)];
        const bool before    = made.phase == StagePhase::forward || made.phase == StagePhase::backward;
        if (!before || made.stage != staged[o].stage) continue;
        seen[value] = true;
        needs[static_cast<size_t>(made.stage)].held_for_weights += bytes_of(value);
      }
    }
  }

  const bool split_;
  const std::shared_ptr<const ir::Module> module_;
  const ir::Function& function_;
  const int parts_;
  const LayoutInterpretation layouts_;
  const interpret::Values<LaidOut>& values_;
  const std::vector<StagePhase> phases_;
  const std::vector<int32_t> ends_, anchors_;
  const std::vector<int32_t> makers_;  // per value: the op that makes it; -1: a parameter
  const OverlappedMessages overlap_;
  const ShardsOfProgram shards_;
  const double group_;                    // number of devices
  const size_t devices_;                  // of the program, of which each of two shards is one
  std::vector<bool> is_trained_;          // per parameter: a weight whose gradient is a sum over the samples
  std::vector<ir::ValueId> gradient_of_;  // per parameter: its gradient, if that is a sum over the samples
  std::vector<Seconds> seconds_;          // per op: computes, the mean over the devices of the group
  std::vector<int32_t> message_;          // per op: its number among messages_; -1: none
  // Likewise, of a sum that may run beside a product, where the op after it is in another task.
  std::vector<int32_t> not_awaited_;
  std::vector<Message> messages_;
  std::vector<Weight> weights_;
  GradientTerms terms_;
  std::map<size_t, Seconds> accumulations_;  // of the terms
  std::map<size_t, size_t> gradients_;       // gradients that microbatches add to, and the numbers of their weights
  std::set<size_t> in_parts_;                // values_in_parts
  std::vector<WorkingSet> working_sets_;
  std::vector<Held> held_;
  std::vector<std::vector<CutPlace>> places_;  // by number of prices
  std::optional<LayerEnds> layers_;            // once they are asked for
  // By prices and StageLimits.
  std::map<std::tuple<size_t, std::vector<double>, std::vector<double>, double, double>, Cuts> cuts_;
  std::map<Cuts, std::vector<StageNeed>> needs_;
};

StageModel::StageModel(std::shared_ptr<const ir::Module> module, const ir::OpTable& ops, bool split_backward, int parts,
                       int shards, const Price& price)
    : program_(std::make_unique<Program>(std::move(module), ops, split_backward, parts, shards, price)) {}

StageModel::StageModel(StageModel&&) noexcept = default;

StageModel::~StageModel() = default;

const std::vector<StageModel::Message>& StageModel::messages() const { return program_->messages(); }

size_t StageModel::add_prices(const StagePrices& prices) { return program_->add_prices(prices); }

const std::vector<StageNeed>& StageModel::needs(const Pipeline& wanted, size_t prices) {
  return program_->needs(wanted, prices);
}

}  // namespace foreflow::transform
