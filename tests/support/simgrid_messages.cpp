#include "support/simgrid_messages.h"

#include <fmt/core.h>

#include <simgrid/s4u.hpp>
#include <sstream>

#include "foreflow/base/process.h"

namespace foreflow::test {
namespace {

namespace s4u = simgrid::s4u;

std::string simulate_messages(const std::string& path, const std::vector<SimgridMessage>& messages) {
  std::vector<std::string> words = {"messages", "--cfg=surf/precision:1e-12", "--log=root.thresh:critical"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  s4u::Engine engine(&count, arguments.data());
  engine.load_platform(path);
  std::vector<double> ends(messages.size());
  for (size_t i = 0; i < messages.size(); ++i) {
    const SimgridMessage& one = messages[i];
    s4u::Host* from           = s4u::Host::by_name(one.from);
    s4u::Actor::create("sender", from, [&one, from, &end = ends[i]] {
      s4u::this_actor::sleep_until(one.start);
      s4u::Comm::sendto(from, s4u::Host::by_name(one.to), static_cast<uint64_t>(one.bytes));
      end = s4u::Engine::get_clock();
    });
  }
  engine.run();
  std::string text;
  for (const double end : ends) text += fmt::format("{:.17g}\n", end);
  return text;
}

}  // namespace

std::vector<double> simgrid_messages(const std::string& path, const std::vector<SimgridMessage>& messages) {
  std::istringstream lines(run_in_child(path, [&] { return simulate_messages(path, messages); }));
  std::vector<double> ends;
  for (double end = 0; lines >> end;) ends.push_back(end);
  return ends;
}

}  // namespace foreflow::test
