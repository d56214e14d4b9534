// Layouts as an abstract domain: the interpreter finds the layout of every value when the data parameters are split by
// samples over `ways` (replicas or microbatches).
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

// Data parameters are split by their first dimension, weights are whole. Where data differ in size there and ops cannot
// go on so, samples are what one of the sizes counts, in whichever dimension, and data without it are whole. Throws
// Error naming the parameter when `ways` does not divide it, and naming the op when a called function would mix the
// parts (`what`: "replicas").
LayoutInterpretation interpret_layouts(const ir::Module& module, int ways, const std::string& what);

// The decision for one op of an instance, and whether its operands arrive as it needs them.
struct Verdict {
  Decision decision;
  bool as_it_arrives;
};
Verdict judge(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values, int ways);

// What makes an op on these operands the same as another, as words for a SequenceTable; `words` is scratch.
std::span<const uint64_t> words_of(const ir::Function& function, const ir::Op& op,
                                   const interpret::Values<LaidOut>& values, std::vector<uint64_t>& words);

// Judges each distinct op on equal operands once. For the values of one interpretation.
class Judge {
 public:
  explicit Judge(int ways) : ways_(ways) {}
  const Verdict& operator()(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values);

 private:
  int ways_;
  SequenceTable known_;
  std::vector<Verdict> verdicts_;  // by number in known_
  std::vector<uint64_t> words_;    // scratch
};

// Error: this op needs the whole batch.
[[noreturn]] void mixes_samples(const ir::Module& module, const ir::Function& function, const ir::Op& op,
                                const std::string& what);

}  // namespace foreflow::transform
