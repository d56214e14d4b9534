// Platform XML: our own checks for all, and SimGrid in its child process for few of the documents that pass them.
#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"
#include "fuzz/form.h"
#include "platform/files/document.h"
#include "platform/zones/machine.h"

namespace foreflow::fuzz::definitions::platform_form {
namespace {

constexpr size_t kOneIn      = 64;  // a child process costs as much as thousands of documents here
constexpr size_t kMostRouted = 64;  // devices: SimGrid is asked for the route of every pair

// Not std::hash: the choice must be the same in every build.
size_t digest(std::string_view bytes) {
  uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash >> 32;
}

// Files of SimGrid are routed by Foreflow: a few routes of each.
void take_zones(const std::string& text) {
  const platform::Platform platform = platform::zones::make(platform::zones::read(text, "fuzz.xml"), {}, "fuzz.xml");
  const int devices                 = static_cast<int>(std::min(platform.devices().size(), kMostRouted));
  for (int i = 0; i < devices; ++i) {
    for (const int link : platform.route(i, (i + 1) % devices).links)
      platform.find_link(nth(platform.links(), link).name);
    platform.find_device(nth(platform.devices(), i).name);
  }
}

void take(std::string_view bytes) {
  const std::string text(bytes);
  if (platform::zones::is_simgrid_form(text)) return take_zones(text);
  const platform::Document document = platform::read_document(text, "fuzz.xml");
  platform::check_routed(document.root);
  if (document.devices.size() > kMostRouted || digest(bytes) % kOneIn != 0) return;
  platform::describe(platform::load(text, "fuzz.xml"));
}

}  // namespace

Form row() { return {"platform", take}; }

}  // namespace foreflow::fuzz::definitions::platform_form
