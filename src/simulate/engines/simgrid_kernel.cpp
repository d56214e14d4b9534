#include "simulate/engines/simgrid_kernel.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "simulate/engines/simgrid_settings.h"

namespace foreflow::simulate {
namespace {

namespace s4u = simgrid::s4u;

// A second in the unit of SimGrid's clock. The clock never goes back, not even in a new engine of the same process, and
// simgrid_flows measures with it: beside any of its times, all that runs in the kernel have added is less than its
// rounding. Powers of two are exact.
constexpr double kSecond = 0x1p-300;

// Each event of the simulation is a timer of SimGrid's kernel, which is set when the event before it has happened.
class KernelTimers {
 public:
  explicit KernelTimers(NetworkSimulation& simulation) : simulation_(simulation) {}

  void set() {
    const double next = simulation_.next();
    if (std::isinf(next)) return;
    const double step = std::max(0.0, next - time_) * kSecond;
    simgrid::kernel::timer::Timer::set(s4u::Engine::get_clock() + step, [this, next] { happen(next); });
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void happen(double time) {
    time_ = time;
    try {
      simulation_.advance();
      set();
    } catch (...) {
      failure_ = std::current_exception();  // SimGrid's frames are not for exceptions
    }
  }

  NetworkSimulation& simulation_;
  double time_ = 0;  // of the simulation
  std::exception_ptr failure_;
};

}  // namespace

void run_in_kernel(NetworkSimulation& simulation) {
  SimGrid simgrid;
  s4u::create_full_zone("network")->seal();  // an engine has one, even if nothing is in it
  KernelTimers timers(simulation);
  timers.set();
  simgrid.engine().run();
  timers.rethrow_failure();
}

}  // namespace foreflow::simulate
