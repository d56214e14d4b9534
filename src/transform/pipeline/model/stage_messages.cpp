#include "transform/pipeline/model/stage_messages.h"

#include <bit>

#include "foreflow/ir/replicas.h"
#include "foreflow/transform/recompute.h"
#include "transform/pipeline/overlapped/overlapped_messages.h"
#include "transform/pipeline/overlapped/summed_product.h"

namespace foreflow::transform {
namespace {

using Message = StageModel::Message;

// Numbers messages by all that their time depends on, written as words.
class MessageNumbers {
 public:
  MessageNumbers(const ModelledProgram& program, const std::vector<Seconds>& seconds, const ir::OpTable& ops,
                 const StageModel::Price& price)
      : program_(program),
        function_(program.function),
        seconds_(seconds),
        overlap_(function_, program.values, program.makers, program.parts),
        pieces_(function_, program.values, program.parts, ops, price),
        computes_(
            overlap_.computes_beside(seconds, pieces_, [&program](const ir::Op& op) { return program.share_of(op); })),
        found_{{}, std::vector<int32_t>(function_.ops.size(), -1), std::vector<int32_t>(function_.ops.size(), -1)} {}

  StageMessages run() && {
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (program_.phases[o] != StagePhase::anywhere && function_.ops[o].def->role == ir::Role::communication) add(o);
    }
    return std::move(found_);
  }

 private:
  // The computes that may run beside a message.
  struct Beside {
    std::optional<SummedProduct> product;
    std::vector<int64_t> lengths;
    const OverlappedMessages::Beside* computes;  // null: none
  };

  void add(size_t o) {
    const auto computes = computes_.find(o);
    Beside beside{summed_product(function_, program_.makers, o), overlap_.lengths_of(function_.ops[o]),
                  computes == computes_.end() ? nullptr : &computes->second};
    describe(o, beside);
    found_.of_op[o] = number(o, beside);
    if (!beside.product) return;
    const size_t maker = beside.product->op;
    beside.product.reset();
    words_.back()       = 3;  // no product
    const int32_t alone = number(o, beside);
    // It is not certain that what is recomputed waits for its sums.
    const bool recomputed                               = function_.ops[maker].attributes->find(kRecompute) != nullptr;
    (recomputed ? found_.of_op : found_.not_awaited)[o] = alone;
  }

  void describe(size_t o, const Beside& beside) {
    const ir::Op& op = function_.ops[o];
    words_of(function_, op, attributes_.of(op.attributes), program_.values, words_);  // in `words_`
    words_.insert(words_.end(), beside.lengths.begin(), beside.lengths.end());
    words_.push_back(4 * beside.lengths.size() + (overlap_.may_run_beside(op) ? 2 : 0) +
                     (program_.phases[o] == StagePhase::update ? 1 : 0));
    words_.push_back(beside.computes == nullptr ? 0 : 1);
    if (beside.computes != nullptr) {
      for (const Seconds time : beside.computes->times()) add_word(time);
    }
    if (!beside.product) return;
    add_word(on_one_device(beside.product->op));
    words_.push_back(beside.product->is_exact ? 1 : 2);
  }

  void add_word(Seconds time) { words_.push_back(std::bit_cast<uint64_t>(time.value())); }

  // The number of the message that `words_` describe.
  int32_t number(size_t o, const Beside& beside) {
    const auto number = static_cast<int32_t>(known_.number(words_));
    if (static_cast<size_t>(number) == found_.distinct.size()) found_.distinct.push_back(message(o, beside));
    return number;
  }

  Message message(size_t o, const Beside& beside) const {
    const ir::Op& op = function_.ops[o];
    const bool exact = beside.product && beside.product->is_exact;
    Message message{&op, {}, {}, {}, exact, beside.lengths, overlap_.may_run_beside(op)};
    if (beside.product) message.product = on_one_device(beside.product->op);
    for (const ir::ValueId id : function_.inputs(op)) {
      if (id == ir::ValueId::none)
        message.inputs.emplace_back();
      else
        add_operand(op, program_.values[ir::index(id)], message.inputs);
    }
    for (uint32_t i = 0; i < op.result_count; ++i)
      add_operand(op, program_.values[op.first_result + i], message.outputs);
    message.is_once = program_.phases[o] == StagePhase::update;
    if (exact) message.chunks = overlap_.chunks(op, pieces_);
    if (beside.computes != nullptr) {
      message.product  = beside.computes->computes;
      message.gathered = beside.computes->gathered;
    }
    return message;
  }

  // The second of two shards stands for all but the first in a message of shards. Among contexts, every shard has a
  // message of its own.
  void add_operand(const ir::Op& op, const LaidOut& value, std::vector<ir::Type>& operands) const {
    const ir::Type type = local_type(value.value.type, value.layout, program_.parts);
    const bool all      = op.attributes->find(ir::kShards) != nullptr;
    for (int copy = 0; copy < (all ? program_.represented.copies_of(value) : 1); ++copy)
      operands.push_back(ir::moved(type, program_.represented.device_of(value, copy)));
  }

  // The time of an op on a device that runs it.
  Seconds on_one_device(size_t op) const {
    return (program_.group / program_.represented.copies_of(function_.ops[op], program_.values)) * seconds_[op];
  }

  const ModelledProgram& program_;
  const ir::Function& function_;
  const std::vector<Seconds>& seconds_;
  const OverlappedMessages overlap_;
  const ProductPieces pieces_;
  const std::map<size_t, OverlappedMessages::Beside> computes_;
  SequenceTable known_;
  ir::AttributeKeys attributes_;
  std::vector<uint64_t> words_;
  StageMessages found_;
};

}  // namespace

StageMessages messages_of(const ModelledProgram& program, const std::vector<Seconds>& seconds, const ir::OpTable& ops,
                          const StageModel::Price& price) {
  return MessageNumbers(program, seconds, ops, price).run();
}

}  // namespace foreflow::transform
