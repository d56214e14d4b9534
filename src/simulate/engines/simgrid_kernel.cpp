#include "simulate/engines/simgrid_kernel.h"

#include <cmath>
#include <memory>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>

#include "simulate/engines/simgrid_settings.h"

namespace foreflow::simulate {
namespace {

namespace s4u = simgrid::s4u;

// SimGrid asks its models when something happens next, moves its clock there and tells them.
class NetworkSimulationModel : public simgrid::kernel::resource::Model {
 public:
  explicit NetworkSimulationModel(NetworkSimulation& simulation) : Model("foreflow"), simulation_(simulation) {}

  double next_occurring_event(double now) override {
    constexpr double kNoEvent = -1;  // as SimGrid's models say it
    due_                      = simulation_.next();
    return std::isinf(due_) ? kNoEvent : std::max(0.0, due_ - now);
  }

  void update_actions_state(double now, double) override {
    constexpr double kRounding = 1e-12;  // of SimGrid's clock, which adds up differences
    if (std::isinf(due_) || now < due_ - kRounding * std::max(due_, 1.0)) return;
    simulation_.advance();
    if (std::isinf(simulation_.next()) && waiting_ != nullptr) waiting_->resume();
  }

  // The calling actor sleeps until nothing more happens.
  void wait() {
    if (std::isinf(simulation_.next())) return;
    waiting_ = s4u::Actor::self();
    s4u::this_actor::suspend();
    waiting_ = nullptr;
  }

 private:
  NetworkSimulation& simulation_;
  double due_          = EventQueue::kNever;
  s4u::Actor* waiting_ = nullptr;
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
}

}  // namespace foreflow::simulate
