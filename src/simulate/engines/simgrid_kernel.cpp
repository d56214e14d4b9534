#include "simulate/engines/simgrid_kernel.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>

#include "simulate/engines/simgrid_settings.h"

namespace foreflow::simulate {
namespace {

namespace s4u = simgrid::s4u;

// A second in the unit of SimGrid's clock. The clock never goes back, not even in a new engine of the same process, and
// simgrid_flows measures with it: beside any of its times, all that runs in the kernel have added is less than its
// rounding. Powers of two are exact.
constexpr double kSecond = 0x1p-300;

// SimGrid asks its models when something happens next, moves its clock there and tells them.
class NetworkSimulationModel : public simgrid::kernel::resource::Model {
 public:
  explicit NetworkSimulationModel(NetworkSimulation& simulation) : Model("foreflow"), simulation_(simulation) {}

  double next_occurring_event(double now) override {
    constexpr double kNoEvent = -1;  // as SimGrid's models say it
    if (over()) return kNoEvent;
    const double step = std::max(0.0, simulation_.next() - time_) * kSecond;
    due_              = now + step;
    return step;
  }

  void update_actions_state(double now, double) override {
    if (over() || now < due_) return;
    time_ = simulation_.next();
    try {
      simulation_.advance();
    } catch (...) {
      failure_ = std::current_exception();  // SimGrid's frames are not for exceptions
    }
    if (over() && waiting_ != nullptr) waiting_->resume();
  }

  // The calling actor sleeps until nothing more happens.
  void wait() {
    if (over()) return;
    waiting_ = s4u::Actor::self();
    s4u::this_actor::suspend();
    waiting_ = nullptr;
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool over() const { return failure_ || std::isinf(simulation_.next()); }

  NetworkSimulation& simulation_;
  double time_         = 0;                   // of the simulation
  double due_          = EventQueue::kNever;  // of the next event, by SimGrid's clock
  s4u::Actor* waiting_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace

void run_in_kernel(NetworkSimulation& simulation) {
  SimGrid simgrid;
  const auto model = std::make_shared<NetworkSimulationModel>(simulation);
  simgrid.engine().add_model(model);
  s4u::NetZone* zone = s4u::create_full_zone("network");
  s4u::Host* host    = zone->create_host("coordinator", 1)->seal();
  zone->seal();
  s4u::Actor::create("coordinator", host, [&] { model->wait(); });
  simgrid.engine().run();
  model->rethrow_failure();
}

}  // namespace foreflow::simulate
