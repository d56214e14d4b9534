#include "lower/fragment.h"

#include <algorithm>
#include <cstdint>

#include "foreflow/base/nth.h"
#include "foreflow/ir/host_memory.h"
#include "foreflow/ir/pipeline_ends.h"
#include "foreflow/platform/cpu.h"
#include "lower/backward_values.h"
#include "lower/buffers.h"
#include "lower/fragment_steps.h"
#include "lower/home.h"
#include "lower/host_steps.h"
#include "lower/issuer.h"
#include "lower/kernels.h"
#include "lower/known_computes.h"
#include "lower/meetings.h"

namespace foreflow::lower {
namespace {

Issuer::Fragment kind_of(const ir::Function& function) {
  const auto has = [&function](auto&& is) { return std::any_of(function.ops.begin(), function.ops.end(), is); };
  if (has([](const ir::Op& op) { return op.is_call(); })) return Issuer::Fragment::caller;
  const bool marked = has([](const ir::Op& op) { return op.attributes->find(ir::kPipelineEnds) != nullptr; });
  return marked ? Issuer::Fragment::pass : Issuer::Fragment::whole;
}

}  // namespace

// Writes one fragment op by op.
class FragmentWriter {
 public:
  FragmentWriter(FragmentMaker& maker, int32_t instance, const Boundary& boundary, const Kinds& kinds)
      : maker_(maker),
        kinds_(kinds),
        home_{static_cast<int32_t>(std::find_if(kinds.begin(), kinds.end(), [](int32_t kind) { return kind >= 0; }) -
                                   kinds.begin())},
        instance_(nth(maker.interpretation_.instances, instance)),
        function_(maker.module_.functions[instance_.function]),
        values_(maker.module_, instance_),
        live_(analyse(maker.module_, instance_, boundary, maker.cost_.memory)),
        recorder_(maker.ledger_, function_, instance_.function, live_),
        steps_(maker.tables, recorder_, function_.name),
        buffers_(instance_, home_, live_, recorder_, steps_),
        issuer_(
            maker.options_.host,
            [this](const ir::Device& device) {
              return platform::time_ratio(hardware(device).cpu, maker_.options_.host.cpu);
            },
            kind_of(function_), function_, maker_.backward_of(instance_.function)),
        kernels_(maker.options_.fuses, function_, instance_, live_),
        host_(function_, values_, buffers_, issuer_, maker.staged_receive(), steps_),
        known_meetings_(maker.cost_, maker.places_, maker.options_, home_, issuer_, maker.tables, values_),
        meetings_(function_, values_, known_meetings_, issuer_, buffers_, host_, steps_) {}

  Fragment run() {
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      issuer_.reach(op);
      if (op.is_call()) {
        call(op, o);
      } else if (host_.is_copy(op)) {
        host_.copy(op, o);
      } else if (op.def->reshards) {
        meetings_.reshard(op, o);
      } else if (op.def->role == ir::Role::communication) {
        meetings_.meet(op, o);
      } else {
        compute(op, o);
      }
    }
    settle_boundary();
    Fragment fragment = steps_.take();
    maker_.ledger_.storage.procedures.push_back(recorder_.take());
    return fragment;
  }

 private:
  bool is_entry() const { return &instance_ == &maker_.interpretation_.entry(); }

  const platform::Device& hardware(const ir::Device& device) const {
    const auto number = static_cast<size_t>(device.index);
    return *nth(maker_.hardware_, number < kinds_.size() ? kinds_[number] : 0);
  }

  cost::Price price_of(const cost::Application& application, KnownComputes::Known& known) const {
    if (!application.joined && known.alone) return *known.alone;
    const cost::Price price = maker_.cost_.compute(application, hardware(home_.of(known.device)));
    if (!application.joined) known.alone = price;
    return price;
  }

  void compute(const ir::Op& op, size_t o) {
    KnownComputes::Known& known   = computes_.of(op, values_);
    const ir::Device device       = home_.of(known.device);
    cost::Application application = known.application(op);
    ir::ValueId last              = steps_.open(device).last;
    if (!known.on_host) last = kernels_.place(o, known.work, last, application);
    const cost::Price price = price_of(application, known);
    const int kernels       = known.on_host || application.joined ? 0 : known.work.kernels;
    if (kernels > 0 && issuer_.begins_anew(op, device)) steps_.close(device);
    OpenCompute& open = steps_.open(device);
    open.last         = last;
    open.event.duration += price.time;
    nth(open.shares, price.provenance) += price.time;
    if (!known.on_host) {
      open.event.flops += known.work.flops + known.work.masked;
      issuer_.add(op, device, kernels, price.time, open.event.issue);
    }
    if (price.time > Seconds(0)) open.event.parts.push_back({std::string(op.def->name), price.time});
    const bool stays = results_stay_in_place(op, maker_.cost_.memory);
    if (stays) buffers_.free_operands(o, op, device);
    for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value) {
      if (buffers_.is_buffer(value)) open.level += buffers_.make(value, open.log);
    }
    open.raise_peak(open.level);
    if (stays) {
      buffers_.free_results(o, op, device);
    } else {
      buffers_.free_after(o, device);
    }
    host_.read_back(op, device);
  }

  void call(const ir::Op& op, size_t o) {
    // Computes before the call get their numbers before the fragment that is called.
    steps_.close_all();
    const interpret::DeviceMap& map = instance_.maps[o];
    Kinds kinds                     = map.empty() ? kinds_ : Kinds(map.size() + 1, -1);
    for (size_t i = 0; i < map.size(); ++i) kinds[i + 1] = nth(kinds_, map[i]);
    steps_.call(maker_.fragment(instance_.callee[o], live_.calls[steps_.calls()], kinds), map, op);
  }

  void settle_boundary() {
    for (const int32_t buffer : live_.unfreed_parameters) buffers_.free_on(buffers_.place_of(buffer), buffer);
    // The entry has no caller that would count its results: new weights have the memory of the old ones.
    if (is_entry()) return;
    for (const ir::ValueId id : live_.returned_again) {
      const ir::Type& type = values_.type(id);
      if (ir::in_host_memory(ir::device_of(type))) continue;
      OpenCompute& open = steps_.open(home_.of(ir::device_of(type)));
      open.level += ir::bytes_of(type);
      open.raise_peak(open.level);
      recorder_.made_again(open.log, id, ir::bytes_of(type));
    }
  }

  FragmentMaker& maker_;
  const Kinds& kinds_;
  const Home home_;
  const interpret::Instance<interpret::Mixed>& instance_;
  const ir::Function& function_;
  OpValues values_;
  Liveness live_;
  Recorder recorder_;
  FragmentSteps steps_;
  Buffers buffers_;
  Issuer issuer_;
  Kernels kernels_;
  KnownComputes computes_;
  HostSteps host_;
  KnownMeetings known_meetings_;
  MeetingWriter meetings_;
};

FragmentMaker::FragmentMaker(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                             const cost::CostModel& cost, std::vector<const platform::Device*> hardware,
                             const ProgramPlaces& places, const Options& options)
    : module_(module),
      interpretation_(interpretation),
      cost_(cost),
      hardware_(std::move(hardware)),
      places_(places),
      options_(options),
      ledger_(module, options.storage) {
  if (options.host.gradient != options.host.kernel) backward_ = backward_values(module);
  const auto is_send = [](const ir::Op& op) {
    return !op.is_call() && op.def->communication == ir::Communication::send;
  };
  has_messages_ = std::any_of(module.functions.begin(), module.functions.end(), [&](const ir::Function& function) {
    return std::any_of(function.ops.begin(), function.ops.end(), is_send);
  });
}

const std::vector<bool>& FragmentMaker::backward_of(size_t function) const {
  static const std::vector<bool> none;
  return backward_.empty() ? none : backward_[function];
}

const cost::StagedReceive* FragmentMaker::staged_receive() const {
  return has_messages_ && cost_.staged_receive ? &*cost_.staged_receive : nullptr;
}

int32_t FragmentMaker::fragment(int32_t instance, const Boundary& boundary, const Kinds& kinds) {
  const auto found = made_.find({instance, boundary, kinds});
  if (found != made_.end()) return found->second;
  Fragment made     = FragmentWriter(*this, instance, boundary, kinds).run();  // with its procedure of the same number
  const auto number = static_cast<int32_t>(fragments.size());
  fragments.push_back(std::move(made));
  made_.emplace(std::tuple(instance, boundary, kinds), number);
  return number;
}

}  // namespace foreflow::lower
