// Layouts as an abstract domain: the interpreter finds the layout of every value, given that the data parameters are
// split by samples over `ways` replicas or microbatches.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {

struct LaidOut {
  interpret::Mixed value;  // of the whole batch
  Layout layout;
};

struct LayoutDomain {
  using Value                     = LaidOut;
  static constexpr bool kMemoised = true;
  int ways;

  std::vector<Value> apply(const ir::Op& op, std::span<const Value> inputs) const;
  Value absent() const { return {}; }
  Value refine(Value value, const ir::Type& annotation) const;
  template <class F>
  void visit_devices(Value& value, F f) const {
    interpret::visit_type_devices(value.value.type, f);
  }
  void append_key(const Value& value, std::string& key) const;
};

using LayoutInterpretation = interpret::Interpretation<LaidOut>;

// Interprets the layouts of a program.
//
// 1. Weights are whole; data parameters are split along their first dimension.
// 2. If data parameters differ in the size of their first dimension, and an op cannot run on such parts, one of the
//    sizes is taken as the number of samples: data parameters are split along whichever dimension has this size, and
//    those that have no such dimension are whole.
//
// Throws RefusalError naming the parameter if `ways` does not divide a dimension to be split, and naming the op if an
// op of a called function mixes the parts. `what` names the parts in messages: "replicas".
LayoutInterpretation interpret_layouts(const ir::Module& module, int ways, const std::string& what);

// The decision for one op of an instance, and whether its operands already have the layouts that it needs.
struct Verdict {
  Decision decision;
  bool as_it_arrives;
};
Verdict judge(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values, int ways);

// The key of an op and its operands, as words for a SequenceTable: ops with equal keys compute the same. `attributes`
// is the key of those of the op, `words` is scratch.
std::span<const uint64_t> words_of(const ir::Function& function, const ir::Op& op, uint64_t attributes,
                                   const interpret::Values<LaidOut>& values, std::vector<uint64_t>& words);

// Memoises `judge` for the values of one interpretation.
class Judge {
 public:
  explicit Judge(int ways) : ways_(ways) {}
  const Verdict& operator()(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values);

 private:
  int ways_;
  ir::AttributeKeys attributes_;
  SequenceTable known_;
  std::vector<Verdict> verdicts_;  // by number in known_
  std::vector<uint64_t> words_;    // scratch
};

// Returns true if an op of the entry cannot go on with a split over `ways` parts. Calls do not count.
bool mixes(const ir::Function& entry, const interpret::Values<LaidOut>& values, int ways);

// Throws RefusalError: this op needs the whole batch, why it does (why_whole.h), and what could be split in its stead.
[[noreturn]] void mixes_samples(const ir::Module& module, const ir::Function& function, const ir::Op& op,
                                const interpret::Values<LaidOut>& values, int ways, const std::string& what);

}  // namespace foreflow::transform
