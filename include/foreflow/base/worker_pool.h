// Worker processes that live as long as the pool: what a worker keeps in memory, such as a cache, serves all of its
// later requests.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace foreflow {

class Worker;

class WorkerPool {
 public:
  // `work` runs in the workers, which are forked when they get their first request and share the memory that this
  // process has then.
  WorkerPool(size_t workers, std::function<std::string(const std::string& request)> work);
  WorkerPool(const WorkerPool&)            = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  // Lines a request up behind those that were added before. A worker gets it, and `arrived` is called with its answer,
  // in some call of `run`.
  void add(std::string request, std::function<void(const std::string& answer)> arrived);
  // Gives requests to free workers and hands out answers the moment they come in, until `done` returns true or no
  // request is left. `done` is asked several times a second. Workers go on with what they have when this returns.
  // Rethrows what `work` threw; throws ChildDied when a worker dies.
  void run(const std::function<bool()>& done);

  // The answers to the requests, in their order. `finished` (may be empty) is called here for every answer the moment
  // it comes in, with the index of its request. Once `stop` (may be empty) returns true, no further request is given to
  // a worker: the answers to those that were not given are empty, and `finished` is not called for them. Throws as
  // `run` does; a pool that threw is done for. Requires: no request that was added is left.
  std::vector<std::string> ask(const std::vector<std::string>& requests,
                               const std::function<void(size_t request, const std::string& answer)>& finished = {},
                               const std::function<bool()>& stop                                              = {});

 private:
  struct Request {
    std::string text;
    std::function<void(const std::string& answer)> arrived;
  };

  void give_requests();
  void take_answers();

  std::function<std::string(const std::string&)> work_;
  std::vector<std::unique_ptr<Worker>> workers_;  // null: not started yet
  std::vector<Request> given_;                    // per worker, while it is busy
  std::deque<Request> waiting_;
};

}  // namespace foreflow
