// Predicts one point after another and reuses the results of steps that the next point shares with the previous one.
#pragma once

#include <optional>

#include "foreflow/scenario/run.h"

namespace foreflow::sweep {

class Chain {
 public:
  // Loads the platform of a point. Processes that are forked afterwards share it.
  void load_platform(const Json& point, const std::string& file);

  // Throws Error as the steps of the chain do.
  Json answer(const Json& point, const std::string& file);

 private:
  const platform::Platform& platform_of(const scenario::Scenario& scenario);
  const scenario::Sequential& sequential_of(const scenario::Scenario& scenario);
  const lower::Lowered& lowered_of(const scenario::Scenario& scenario, const platform::Platform& platform);
  simulate::Known known_of(const scenario::PlatformChoice& platform);  // about lowered_ on it

  // Platforms that differ in their links only are read once.
  struct Loaded {
    scenario::PlatformChoice choice;  // without changes of links
    scenario::PlatformRef unchanged;
    platform::LinkChanges changes;
    scenario::PlatformRef platform;
  };
  struct Built {
    std::string key;
    scenario::Sequential sequential;
  };
  struct Lowered {
    std::string key;
    scenario::PlatformChoice choice;  // without changes of links
    platform::List<platform::Device> devices;
    lower::Lowered lowered;
    std::shared_ptr<const simulate::Courses> courses;
  };
  struct Routes {
    platform::Recipe recipe;  // of the platforms that have them
    std::shared_ptr<simulate::GroupRouteTable> table;
  };
  std::optional<Loaded> loaded_;
  std::optional<Built> built_;
  std::optional<Lowered> lowered_;
  std::optional<Routes> routes_;
};

}  // namespace foreflow::sweep
