#include "lower/reshard_op.h"

#include <algorithm>
#include <map>

#include "foreflow/reshard/strategy.h"

namespace foreflow::lower {
namespace {

using ir::Device;

// The mesh of one side, on devices of the platform.
reshard::Layout layout_of(const ir::Op& op, const std::string& side, const std::vector<int>& devices) {
  reshard::Layout layout;
  for (const int64_t length : op.attributes->get_ints(side + "_mesh"))
    layout.mesh.shape.push_back(static_cast<int>(length));
  layout.mesh.devices = devices;
  layout.spec         = reshard::parse_spec(op.attributes->string_or(side + "_spec", ""), side + "_spec");
  return layout;
}

// The shape of the tensor of which `part` is one of equal parts.
std::vector<int64_t> whole_shape(const ir::Type& part, const reshard::Layout& layout) {
  const std::vector<int> parts = reshard::parts(layout.spec, layout.mesh.shape);
  std::vector<int64_t> shape(part.dims.begin(), part.dims.end());
  for (size_t dim = 0; dim < shape.size(); ++dim) shape[dim] *= parts[dim];
  return shape;
}

// The platform's devices of values.
std::vector<int> places_of(const std::vector<ir::Type>& types, const Options& options) {
  std::vector<int> places;
  for (const ir::Type& type : types) {
    const int32_t rank = ir::device_of(type).index - 1;
    places.push_back(options.places.empty() ? rank : options.places[static_cast<size_t>(rank)]);
  }
  return places;
}

}  // namespace

std::vector<ReshardMeeting> reshard_meetings(const ir::Op& op, const std::vector<ir::Type>& inputs,
                                             const std::vector<ir::Type>& outputs, const cost::CostModel& cost,
                                             const platform::Platform& platform, const Options& options) {
  const std::vector<int> sources = places_of(inputs, options), targets = places_of(outputs, options);
  reshard::Layout from = layout_of(op, "source", sources), to = layout_of(op, "target", targets);
  const Bytes element = ir::bytes_of(inputs[0]) / static_cast<double>(std::max<int64_t>(ir::element_count(inputs[0].dims), 1));
  reshard::Tensor tensor{"", whole_shape(inputs[0], from), element};
  const reshard::UnitTasks units = reshard::unit_tasks({{std::move(tensor), std::move(from), std::move(to)}});
  const reshard::Plan plan       = reshard_plan(units, platform, options);
  std::map<int, size_t> member;  // of a device of the platform
  for (size_t i = 0; i < sources.size(); ++i) member.emplace(sources[i], i);
  for (size_t i = 0; i < targets.size(); ++i) member.emplace(targets[i], sources.size() + i);
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  std::vector<ReshardMeeting> meetings;
  for (const reshard::Job& job : plan.jobs) {
    const ir::Type moved = bytes_as_type(inputs[0], job.bytes);
    const cost::Application application{{*op.def, *op.attributes, {&moved, 1}, {known.data(), 1}, 1}, {&moved, 1}};
    ReshardMeeting meeting{{std::string(op.def->name), job.kind, &reshard::algorithm_of(job), job.bytes,
                            cost.communication(application, static_cast<int>(job.devices.size()))},
                           {}};
    for (const int device : job.devices) meeting.members.push_back(member.at(device));
    meetings.push_back(std::move(meeting));
  }
  return meetings;
}

}  // namespace foreflow::lower
