// A round of requests to workers that come from several askers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "foreflow/base/worker_pool.h"

namespace foreflow::search {

// The answers to the requests of one asker: to be called once, when the round is finished.
template <typename T>
using Later = std::function<T()>;

class Round {
 public:
  using Arrived = std::function<void(const std::string& answer)>;

  Round()                        = default;
  Round(const Round&)            = delete;  // the workers answer to this one
  Round& operator=(const Round&) = delete;

  // `arrived` is called the moment the answer comes in; answers come in any order.
  void add(std::string request, Arrived arrived);

  // Either of these once. Returns when all answers are in. Once `stop` (may be empty) returns true, no further request
  // is given to a worker.
  void ask(WorkerPool& workers, const std::function<bool()>& stop = {});
  // Lines the requests up behind those of rounds that were begun before.
  void begin(WorkerPool& workers);

  // Returns true when all answers are in. False: they are not, a second after `stop` has first returned true; the
  // workers are still at them, which their pool ends. Requires: the round was begun.
  bool finish(WorkerPool& workers, const std::function<bool()>& stop);

 private:
  std::vector<std::string> requests_;
  std::vector<Arrived> arrived_;  // per request
  size_t answered_ = 0;           // since the round was begun
};

}  // namespace foreflow::search
