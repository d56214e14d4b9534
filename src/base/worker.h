// A forked child that answers one request after another.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/child.h"

namespace foreflow {

class Worker {
 public:
  // `work` runs in the child; its answers are those of answer_of().
  using Work = std::function<std::string(const std::string& request)>;
  explicit Worker(const Work& work);
  Worker(const Worker&)            = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // False: it waits for a request.
  bool busy() const { return busy_; }
  void give(const std::string& request);

  Child& child() { return child_; }
  // The answer to the current request, given once; the worker is then free. Nothing while it is still working.
  std::optional<std::string> take();

 private:
  struct Ends {
    int parent, child;
  };
  static Ends connect();
  Worker(Ends requests, const Work& work);

  int requests_;  // where requests go in
  Child child_;
  bool busy_ = false;
};

}  // namespace foreflow
