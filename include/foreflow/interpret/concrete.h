// The concrete domain: the reference executor. A value is an array on a device.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "foreflow/interpret/types.h"

namespace foreflow::interpret {

struct Concrete {
  ir::Array numbers;
  ir::Type type;  // of `numbers`, with the devices; the elements of a tuple may be on several

  static Concrete of(const ir::Array& numbers, ir::Device device = {}) { return {numbers, numbers.type(device)}; }
};

struct ConcreteDomain {
  using Value                    = Concrete;
  std::function<void()> computed = {};  // called after each op, unless it is empty
  std::vector<Value> apply(const ir::Op& op, std::span<const Value> inputs) const;
  Value absent() const { return {ir::Array(), ir::Type()}; }
  Value refine(Value value, const ir::Type& annotation) const;
  template <class F>
  void visit_devices(Value& value, F f) const {
    visit_type_devices(value.type, f);
  }
  void append_key(const Value& value, std::string& key) const;
};

// Runs function `entry` and returns its results. Arguments are placed where the annotations of the parameters say.
// Calls `computed`, if given, after each op. Throws Error naming the op.
std::vector<ir::Array> evaluate(const ir::Module& module, size_t entry, const std::vector<ir::Array>& arguments,
                                const std::function<void()>& computed = {});

// The number of ops that evaluate() computes, those of a function once for each call; at most, as equal calls of a
// function are computed once. No program has more than 10^15, where counting stops.
size_t computed_ops(const ir::Module& module, size_t entry);

}  // namespace foreflow::interpret
