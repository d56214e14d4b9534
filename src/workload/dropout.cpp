#include "workload/dropout.h"

namespace foreflow::workload {

Value Dropout::operator()(Network& net, Value x, const std::string& name) {
  if (ratio_ == 0) return x;
  ir::Array yes(ir::DType::boolean, {});
  yes.mutable_data<bool>()[0] = true;
  const Value ratio           = net.constant(ir::Array::scalar(static_cast<float>(ratio_)));
  const Value training        = net.constant(std::move(yes));
  std::vector<std::string> names;
  if (!name.empty()) names = {name + ".dropped", name + ".mask"};
  return net.ops("Dropout", {x, ratio, training}, {{"seed", ++uses_}}, 2, std::move(names))[0];
}

double read_dropout(const FilledValues& values, Mode mode) {
  const double ratio = values.number("dropout");
  if (!(ratio >= 0 && ratio < 1)) {
    values.stated().fail("dropout",
                         values.stated().text("dropout") + " is not a share of what is dropped; use 0, or less than 1");
  }
  return mode == Mode::training ? ratio : 0;
}

Key dropout_key(std::string_view doc) { return {"dropout", doc, 0.0, Key::Kind::number}; }

}  // namespace foreflow::workload
