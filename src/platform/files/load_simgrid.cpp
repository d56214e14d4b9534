// The module's only use of SimGrid.
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "foreflow/base/error.h"
#include "platform/files/routing.h"

namespace foreflow::platform {
namespace {

namespace s4u = simgrid::s4u;

// A file in memory that SimGrid can open by name; it takes no text.
class MemoryFile {
 public:
  MemoryFile(const std::string& content, const std::string& name) : descriptor_(::memfd_create("platform", 0)) {
    const auto written = descriptor_ < 0 ? -1 : ::write(descriptor_, content.data(), content.size());
    if (written != static_cast<ssize_t>(content.size())) throw Error(name, "no memory to hand the platform to SimGrid");
  }
  MemoryFile(const MemoryFile&)            = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

// SimGrid's complaint as ours: "Parse error at PATH:LINE: WHAT" names our temporary path, not the user's file.
Error refusal(const std::string& name, const std::string& path, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const size_t at = text.find(path + ":");
  if (at == std::string::npos) return {name, "SimGrid refuses the platform: " + text};
  const size_t line = at + path.size() + 1;
  const size_t end  = text.find(": ", line);
  if (end == std::string::npos) return {name, "SimGrid refuses the platform: " + text.substr(line)};
  return {fmt::format("{}:{}", name, text.substr(line, end - line)), "SimGrid refuses it: " + text.substr(end + 2)};
}

// CM02 without cross-traffic and TCP's window shares a link exactly by its bandwidth. Nothing below a fatal error is
// logged.
s4u::Engine make_engine() {
  std::vector<std::string> words = {"foreflow",
                                    "--log=root.thresh:critical",
                                    "--log=root.fmt:%m%n",
                                    "--cfg=network/model:CM02",
                                    "--cfg=network/crosstraffic:no",
                                    "--cfg=network/TCP-gamma:0",
                                    "--cfg=surf/precision:1e-12"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return s4u::Engine(&count, arguments.data());
}

template <class T>
T* required(const std::unordered_map<std::string, T*>& known, const std::string& id, const std::string& file) {
  const auto found = known.find(id);
  if (found == known.end())
    throw Error(file, fmt::format("SimGrid reads another name where the file has \"{}\"; use letters and digits", id));
  return found->second;
}

Routing ask(const s4u::Engine& engine, const std::string& name, const Document& document) {
  std::unordered_map<std::string, s4u::Host*> hosts;
  for (s4u::Host* host : engine.get_all_hosts()) hosts[host->get_name()] = host;
  std::unordered_map<std::string, s4u::Link*> links;
  for (s4u::Link* link : engine.get_all_links()) links[link->get_name()] = link;

  Routing routing;
  std::unordered_map<const s4u::Link*, int> index;
  for (const Link& spec : document.links) {
    const s4u::Link* link = required(links, spec.name, name);
    index[link]           = static_cast<int>(index.size());
    routing.bandwidth.push_back(link->get_bandwidth());
    routing.latency.push_back(link->get_latency());
  }
  std::vector<const s4u::Host*> devices;
  for (const Device& device : document.devices) devices.push_back(required(hosts, device.name, name));
  std::vector<s4u::Link*> crossed;
  for (const s4u::Host* from : devices) {
    for (const s4u::Host* to : devices) {
      crossed.clear();
      double latency = 0;  // accumulated by route_to; the sum over the links is the same
      if (from != to) from->route_to(to, crossed, &latency);
      if (from != to && crossed.empty()) {
        throw Error(name,
                    fmt::format("no route from device \"{}\" to device \"{}\"", from->get_cname(), to->get_cname()));
      }
      for (const s4u::Link* link : crossed) routing.crossed.push_back(index.at(link));
      routing.lengths.push_back(static_cast<int>(crossed.size()));
    }
  }
  return routing;
}

}  // namespace

Routing ask_simgrid(const std::string& xml_text, const std::string& name, const Document& document) {
  const MemoryFile file(xml_text, name);
  try {
    s4u::Engine engine = make_engine();
    engine.load_platform(file.path());
    // Computes the shortest paths of Floyd zones. seal_platform() does so only once in a process, which may have had an
    // engine before it became this child's.
    engine.get_netzone_root()->seal();
    return ask(engine, name, document);
  } catch (const Error&) {
    throw;
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& refused) {
    throw refusal(name, file.path(), refused.what());
  }
}

}  // namespace foreflow::platform
