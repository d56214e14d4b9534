// A forked child that processes one item after another: it receives item numbers and sends answers.
#pragma once

#include <optional>

#include "base/child.h"

namespace foreflow {

class Worker {
 public:
  // `work` runs in the child; its answers are those of answer_of().
  explicit Worker(const std::function<std::string(size_t)>& work);
  Worker(const Worker&)            = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // The current item; nothing: it waits for one.
  std::optional<size_t> item() const { return item_; }
  void give(size_t item);

  Child& child() { return child_; }
  // The answer to the current item, given once; the worker is then free. Nothing while it is still working.
  std::optional<std::string> take();

 private:
  struct Ends {
    int parent, child;
  };
  static Ends connect();
  Worker(Ends items, const std::function<std::string(size_t)>& work);

  int items_;  // where numbers go in
  Child child_;
  std::optional<size_t> item_;
};

}  // namespace foreflow
