// A round of requests to workers that come from several askers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "foreflow/base/worker_pool.h"

namespace foreflow::search {

// The answers to the requests of one asker: to be called once, after Round::ask.
template <typename T>
using Later = std::function<T()>;

class Round {
 public:
  using Arrived = std::function<void(const std::string& answer)>;

  // `arrived` is called the moment the answer comes in; answers come in any order.
  void add(std::string request, Arrived arrived);
  // Returns when all answers are in. Once `stop` (may be empty) returns true, no further request is given to a worker.
  void ask(WorkerPool& workers, const std::function<bool()>& stop = {});

 private:
  std::vector<std::string> requests_;
  std::vector<Arrived> arrived_;  // per request
};

}  // namespace foreflow::search
