#include "transform/layout/gradient_sum.h"

#include "foreflow/base/nth.h"
#include "foreflow/transform/split_data.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

class SumReader {
 public:
  SumReader(const ir::Function& entry, const std::vector<int32_t>& makers, const std::vector<int32_t>& uses)
      : entry_(entry), makers_(makers), uses_(uses) {}

  GradientSum read(ValueId taken) {
    follow(taken, true);
    return std::move(sum_);
  }

 private:
  bool read_once(ValueId id) const { return uses_[ir::index(id)] == 1; }

  void follow(ValueId id, bool own) {
    const int32_t maker = id == ValueId::none ? -1 : makers_[ir::index(id)];
    if (maker >= 0 && !nth(entry_.ops, maker).is_call() && read_once(id)) {
      const auto o      = static_cast<size_t>(maker);
      const ir::Op& op  = entry_.ops[o];
      const auto inputs = entry_.inputs(op);
      if (op.attributes->find(kOfSum) != nullptr && read_once(inputs[0])) {
        sum_.ops.push_back(o);
        return follow(inputs[0], own);
      }
      if (op.attributes->find(kOfCopies) != nullptr && all_read_once(op)) {
        sum_.ops.push_back(o);
        for (uint32_t i = 0; i < op.operand_count; ++i) follow(inputs[i], own && ir::index(id) == op.first_result + i);
        return;
      }
    }
    sum_.terms.push_back(id);
    if (own) sum_.own = id;
  }

  bool all_read_once(const ir::Op& op) const {
    for (uint32_t i = 0; i < op.result_count; ++i) {
      if (!read_once(entry_.output(op, i))) return false;
    }
    return true;
  }

  const ir::Function& entry_;
  const std::vector<int32_t>&makers_, &uses_;
  GradientSum sum_{ValueId::none, {}, {}};
};

}  // namespace

GradientSum gradient_sum(const ir::Function& entry, const std::vector<int32_t>& makers,
                         const std::vector<int32_t>& uses, ValueId taken) {
  return SumReader(entry, makers, uses).read(taken);
}

}  // namespace foreflow::transform
