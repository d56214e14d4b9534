#include "ops/common/views.h"
#include "ops/communication/communication.h"
#include "ops/communication/mesh_layout.h"

namespace foreflow::ops::definitions::reshard {
namespace {

constexpr std::string_view kSides[] = {"source", "target"};

struct Layouts {
  MeshLayout source, target;
};

size_t rank_of(const OpCall& call) {
  const Type type = common_type(call);
  if (type.kind == Type::Kind::scalar) return 0;
  if (!has_rank(type)) call.fail("moves tensors of known rank");
  return type.dims.size();
}

Layouts layouts_of(const OpCall& call) {
  const size_t rank = rank_of(call);
  Layouts layouts{MeshLayout(call, std::string(kSides[0]), rank), MeshLayout(call, std::string(kSides[1]), rank)};
  if (layouts.source.devices() != call.arity())
    call.fail("has " + std::to_string(call.arity()) + " operands; one for each of the " +
              std::to_string(layouts.source.devices()) + " devices of source_mesh would be right");
  return layouts;
}

// Returns the offset at which the part of a device begins in the whole tensor, whose strides are `strides`.
int64_t start_of(const MeshLayout& layout, size_t device, const Dims& part, const Offsets& strides) {
  int64_t start = 0;
  for (size_t dim = 0; dim < part.size(); ++dim) start += layout.part_of(device, dim) * part[dim] * strides[dim];
  return start;
}

std::vector<Type> infer(const OpCall& call) {
  check_group(call);
  const std::vector<Device> devices = destinations(call);
  Type type                         = common_type(call);
  if (!has_rank(type)) return on_each(call, devices, type);
  const Layouts layouts = layouts_of(call);
  if (layouts.target.devices() != devices.size())
    call.fail("`to` has " + std::to_string(devices.size()) + " devices; the " +
              std::to_string(layouts.target.devices()) + " of target_mesh would be right");
  type.dims = layouts.target.part(call, layouts.source.whole(call, type.dims));
  return on_each(call, devices, type);
}

std::vector<Array> eval(const OpCall& call) {
  const Layouts layouts = layouts_of(call);
  const Dims part       = value_of(call, 0).dims();
  Array whole(value_of(call, 0).dtype(), layouts.source.whole(call, part));
  const Offsets strides = strides_of(whole.dims());
  for (size_t i = call.arity(); i-- > 0;)
    put(whole, offsets_of(part, strides, start_of(layouts.source, i, part, strides)), value_of(call, i));
  const Dims wanted = layouts.target.part(call, whole.dims());
  std::vector<Array> results;
  for (size_t i = 0; i < call.outputs; ++i)
    results.push_back(take(whole, wanted, offsets_of(wanted, strides, start_of(layouts.target, i, wanted, strides))));
  return results;
}

// A dimension of which the two meshes have different parts stays whole: pieces of them change places. Of equal parts
// each becomes the same part, whatever its device, and so does each piece of it.
Factors factors(const OpCall& call) {
  if (!splittable(call) || call.arity() == 0) return {};
  const Layouts layouts = layouts_of(call);
  std::string text      = letters(rank_of(call));
  for (size_t dim = 0; dim < text.size(); ++dim) {
    if (layouts.source.parts(dim) != layouts.target.parts(dim)) text[dim] = '.';
  }
  return {.text = factor_text(call, std::vector<std::string>(call.arity(), text),
                              std::vector<std::string>(call.outputs, text))};
}

// Back to where the operands are. What several devices have is one tensor: its gradient is the sum of those that come
// from all of them, and all of its holders get it.
void grad(GradBuilder& builder) {
  const OpCall& call    = builder.call();
  const Layouts layouts = layouts_of(call);
  std::vector<int> arriving;
  for (size_t i = 0; i < call.outputs; ++i) arriving.push_back(builder.output_gradient(i));
  for (const std::vector<size_t>& holders : layouts.target.holders(rank_of(call))) {
    if (holders.size() < 2) continue;
    std::vector<int> terms;
    for (const size_t device : holders) terms.push_back(arriving[device]);
    const std::vector<int> sums = builder.emit("MPIAllreduce", {}, terms, terms.size());
    for (size_t i = 0; i < holders.size(); ++i) arriving[holders[i]] = sums[i];
  }
  const auto attribute = [&](std::string_view side, const std::string& what) {
    return *call.attributes.find(std::string(side) + what);
  };
  Attributes back;
  back.set("source_mesh", attribute(kSides[1], "_mesh")).set("source_spec", attribute(kSides[1], "_spec"));
  back.set("target_mesh", attribute(kSides[0], "_mesh")).set("target_spec", attribute(kSides[0], "_spec"));
  back.set("to", devices_of_operands(call));
  const auto gradients = builder.emit("Reshard", back, arriving, call.arity());
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (builder.wanted(i)) builder.set_input_gradient(i, gradients[i]);
  }
}

Sample sample(const Type& part, const std::vector<int64_t>& source_mesh, const std::string& source,
              const std::vector<int64_t>& target_mesh, const std::string& target, const std::vector<int64_t>& to) {
  int devices = 1;
  for (const int64_t length : source_mesh) devices *= static_cast<int>(length);
  return {.attributes = {{"source_mesh", source_mesh},
                         {"source_spec", source},
                         {"target_mesh", target_mesh},
                         {"target_spec", target},
                         {"to", to}},
          .inputs     = on_devices(part, devices),
          .outputs    = to.size()};
}

}  // namespace

OpDef row() {
  return {
      .name = "Reshard",
      .doc =
          "x1, .., xn, the parts of x on the mesh `source_mesh` as `source_spec` (\"S0RR\") says -> its parts on the "
          "devices `to`, the mesh `target_mesh`, as `target_spec` says; a scenario's `resharding` decides by which "
          "messages",
      .domain   = "foreflow",
      .role     = Role::communication,
      .additive = true,
      .reshards = true,
      .infer    = infer,
      .factors  = factors,
      .work     = transfer,
      .eval     = eval,
      .grad     = grad,
      .samples =
          [] {
            return std::vector<Sample>{sample(f32({2, 4}), {2}, "S0R", {4}, "RS0", {3, 4, 5, 6}),
                                       sample(f32({2, 2, 3}), {2, 2}, "S0S1R", {2}, "S0RR", {5, 6}),
                                       sample(i64({4, 2}), {2, 2}, "RS1", {3}, "RR", {5, 6, 7}),
                                       sample(i64({1, 4}), {2, 2}, "S10R", {1}, "RR", {5}),
                                       sample(f32({2, 4}), {2}, "S0R", {2, 2}, "S0S1", {3, 4, 5, 6})};
          },
  };
}

}  // namespace foreflow::ops::definitions::reshard
