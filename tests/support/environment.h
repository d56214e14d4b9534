// A variable of the environment with a value of a test's own, restored at the end.
#pragma once

#include <optional>
#include <string>

namespace foreflow::test {

class EnvironmentVariable {
 public:
  // No value: the variable is not set.
  EnvironmentVariable(std::string name, const std::optional<std::string>& value);
  EnvironmentVariable(const EnvironmentVariable&)            = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable();

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace foreflow::test
