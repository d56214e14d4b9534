// Values on their way from another stream. Each is fetched to the stream of its reader just before its first use.
#pragma once

#include <functional>

#include "transform/rewrite/copy.h"

namespace foreflow::transform {

// For use while a function is copied. expect(value, fetch) says that `fetch` emits the copy of `value` of the old
// function; it is called before the first op that reads the value.
class Awaited {
 public:
  Awaited(const ir::Function& function, ir::FunctionBuilder& builder, ValueMap& map)
      : function_(function), builder_(builder), map_(map), is_pending_(function.values.size()) {}

  void expect(ir::ValueId value, std::function<ir::ValueId()> fetch) {
    is_pending_[ir::index(value)] = true;
    pending_[value]               = std::move(fetch);
  }

  void fetch(ir::ValueId value) {
    if (value == ir::ValueId::none || !is_pending_[ir::index(value)]) return;
    is_pending_[ir::index(value)] = false;
    const auto found              = pending_.find(value);
    const ir::ValueId copy        = found->second();
    pending_.erase(found);
    builder_.take_name(copy, function_.value(value).name);
    builder_.annotate(copy, function_.value(value).annotation);
    map_.set(value, copy);
  }
  void fetch(std::span<const ir::ValueId> values) {
    for (const ir::ValueId id : values) fetch(id);
  }

 private:
  const ir::Function& function_;
  ir::FunctionBuilder& builder_;
  ValueMap& map_;
  std::vector<bool> is_pending_;  // by value
  std::map<ir::ValueId, std::function<ir::ValueId()>> pending_;
};

}  // namespace foreflow::transform
