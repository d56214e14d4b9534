// SimGrid's engine, set up for our purposes.
#pragma once

#include <array>
#include <csignal>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace foreflow::simulate {

// Keeps the handlers of the signals that SimGrid handles too, and sets them again at its own end.
class SignalHandlers {
 public:
  SignalHandlers() {
    for (Handler& handler : handlers_) ::sigaction(handler.signal, nullptr, &handler.action);
  }
  ~SignalHandlers() {
    for (const Handler& handler : handlers_) ::sigaction(handler.signal, &handler.action, nullptr);
  }
  SignalHandlers(const SignalHandlers&)            = delete;
  SignalHandlers& operator=(const SignalHandlers&) = delete;

 private:
  struct Handler {
    int signal;
    struct sigaction action = {};
  };
  std::array<Handler, 2> handlers_ = {{{SIGINT}, {SIGSEGV}}};
};

// One at a time in a process. Its constructor leaves the handlers of signals as they were; SimGrid's report where an
// actor is and end the process.
class SimGrid {
 public:
  SimGrid() : arguments_(settings()), engine_(make(arguments_)) {}
  // A handler of the engine would outlive it, and the next engine of the process would call it.
  ~SimGrid() { simgrid::s4u::Engine::on_platform_created.disconnect_slots(); }
  SimGrid(const SimGrid&)            = delete;
  SimGrid& operator=(const SimGrid&) = delete;

  simgrid::s4u::Engine& engine() { return engine_; }

 private:
  // Everything that changes SimGrid's results or speed. Its defaults model wide-area TCP; latency is ours.
  static std::vector<std::string> settings() {
    return {
        "simgrid",
        "--cfg=network/model:CM02",       // bandwidth as stated, no correction factors
        "--cfg=network/crosstraffic:no",  // links are per direction
        "--cfg=network/TCP-gamma:0",      // no window limit
        "--cfg=surf/precision:1e-12",     // the default would merge events within a nanosecond
        "--cfg=contexts/stack-size:64",   // KiB; actors are shallow
        "--cfg=contexts/guard-size:0",    // else 32 thousand actors exhaust the memory maps of a process
        "--log=root.thresh:critical",
    };
  }
  static simgrid::s4u::Engine make(std::vector<std::string>& arguments) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    const SignalHandlers handlers;
    return simgrid::s4u::Engine(&count, pointers.data());
  }

  std::vector<std::string> arguments_;
  simgrid::s4u::Engine engine_;
};

}  // namespace foreflow::simulate
