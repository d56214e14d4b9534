#include "foreflow/lower/reshard_op.h"

#include <algorithm>
#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/lower/communication.h"
#include "foreflow/lower/reshard.h"
#include "foreflow/reshard/strategy.h"

namespace foreflow::lower {
namespace {

using ir::Device;

// The mesh of one side, on devices of the platform.
reshard::Layout layout_of(const ir::Attributes& attributes, const std::string& side, const std::vector<int>& devices) {
  reshard::Layout layout;
  for (const int64_t length : attributes.get_ints(side + "_mesh"))
    layout.mesh.shape.push_back(static_cast<int>(length));
  layout.mesh.devices = devices;
  layout.spec         = reshard::parse_spec(attributes.string_or(side + "_spec", ""), side + "_spec");
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
std::vector<int> places_of(const std::vector<ir::Type>& types, int32_t first, const Options& options) {
  std::vector<int> places;
  for (const ir::Type& type : types) {
    const int32_t rank = ir::device_of(type).index - first;
    places.push_back(options.places.empty() ? rank : nth(options.places, rank));
  }
  return places;
}

// A tensor of `bytes`, of the data type and device of `type`.
ir::Type with_bytes(ir::Type type, Bytes bytes, Bytes element) {
  type.dims = ir::Dims{static_cast<int64_t>(bytes / element)};
  return type;
}

Bytes element_of(const ir::Type& type) {
  if (type.is_tensor()) return Bytes(ir::bits_of(type.dtype) / 8.0);
  return ir::bytes_of(type) / static_cast<double>(std::max<int64_t>(ir::element_count(type.dims), 1));
}

struct Planned {
  std::vector<int> sources, targets;  // devices of the platform
  reshard::UnitTasks units;
  reshard::Plan plan;
};

Planned planned(const ir::Attributes& attributes, const std::vector<ir::Type>& inputs,
                const std::vector<ir::Type>& outputs, const ProgramPlaces& places, const Options& options) {
  Planned made{places_of(inputs, places.first, options), places_of(outputs, places.first, options), {}, {}};
  reshard::Layout from = layout_of(attributes, "source", made.sources),
                  to   = layout_of(attributes, "target", made.targets);
  reshard::Tensor tensor{"", whole_shape(inputs[0], from), element_of(inputs[0])};
  made.units = reshard::unit_tasks({{std::move(tensor), std::move(from), std::move(to)}});
  const reshard::StrategyDef& strategy =
      options.resharding != nullptr ? *options.resharding : *reshard::strategies().begin();
  made.plan = strategy.plan(made.units, reshard::ports_of(places.platform, made.units.moves), {});
  return made;
}

// Per device of the platform its number among the devices of the op.
std::map<int, size_t> members_of(const Planned& made) {
  std::map<int, size_t> member;
  for (size_t i = 0; i < made.sources.size(); ++i) member.emplace(made.sources[i], i);
  for (size_t i = 0; i < made.targets.size(); ++i) member.emplace(made.targets[i], made.sources.size() + i);
  return member;
}

std::string text_of(const reshard::Job& job, const std::map<int, size_t>& member) {
  std::string text(collective::name(job.kind));
  for (const int device : job.devices) text += " " + std::to_string(member.at(device));
  for (const reshard::Box& box : job.boxes) {
    text += "|";
    for (const reshard::Range& range : box)
      text += (text.back() == '|' ? "" : " ") + std::to_string(range.begin) + ":" + std::to_string(range.end);
  }
  return text;
}

}  // namespace

ir::Module with_reshard_jobs(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                             const ProgramPlaces& places, const Options& options) {
  ir::Module result = module;
  if (options.resharding != nullptr && !options.resharding->moves_data) return result;
  const auto& values     = interpretation.entry().values;
  ir::Function& function = result.functions.back();
  for (ir::Op& op : function.ops) {
    if (op.is_call() || !op.def->reshards) continue;
    std::vector<ir::Type> inputs, outputs;
    for (const ir::ValueId id : function.inputs(op)) inputs.push_back(values[ir::index(id)].type);
    for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(values[ir::index(function.output(op, i))].type);
    if (!inputs.at(0).resolved()) continue;
    const Planned made = planned(*op.attributes, inputs, outputs, places, options);
    std::vector<std::string> jobs;
    for (const reshard::Job& job : made.plan.jobs) jobs.push_back(text_of(job, members_of(made)));
    ir::Attributes attributes = *op.attributes;
    attributes.set("jobs", jobs);
    op.attributes = std::make_shared<const ir::Attributes>(std::move(attributes));
  }
  return result;
}

std::vector<ReshardMeeting> reshard_meetings(const ir::Op& op, const std::vector<ir::Type>& inputs,
                                             const std::vector<ir::Type>& outputs, const cost::CostModel& cost,
                                             const ProgramPlaces& places, const Options& options) {
  const Planned made                 = planned(*op.attributes, inputs, outputs, places, options);
  const Bytes element                = element_of(inputs[0]);
  const std::map<int, size_t> member = members_of(made);
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  std::vector<ReshardMeeting> meetings;
  for (PlanEvent& event : events_of(made.plan)) {
    if (!event.what.fixed) {
      const ir::Type moved = with_bytes(inputs[0], event.what.bytes, element);
      const cost::Application application{{*op.def, *op.attributes, {&moved, 1}, {known.data(), 1}, 1}, {&moved, 1}};
      set_price(event.what, cost.communication(application, static_cast<int>(event.devices.size())));
      event.what.start = event.what.kind == collective::Kind::send ? options.message_start : options.collective_start;
    }
    event.what.name = std::string(op.def->name);
    ReshardMeeting meeting{std::move(event.what), {}};
    for (const int device : event.devices) meeting.members.push_back(member.at(device));
    meetings.push_back(std::move(meeting));
  }
  return meetings;
}

stream::Program reshard_program(const ir::Attributes& attributes, const std::vector<ir::Type>& inputs,
                                const std::vector<ir::Type>& outputs, const ProgramPlaces& places,
                                const Options& options) {
  const Planned made = planned(attributes, inputs, outputs, places, options);
  return program_of(made.units, made.plan).program;
}

}  // namespace foreflow::lower
