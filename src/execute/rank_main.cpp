// foreflow-rank FOLDER TIMEOUT: one process of `foreflow execute --ranks mpi`, started by mpirun. Only this file knows
// MPI.
#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <set>
#include <thread>

#include "execute/job.h"
#include "execute/values.h"
#include "foreflow/base/memory.h"
#include "foreflow/base/text.h"

namespace foreflow::execute {
namespace {
namespace fs = std::filesystem;

constexpr int kTag = 1;

// How long to wait, and whether to let others compute meanwhile: where there are more processes than cores.
struct Patience {
  Seconds timeout;
  bool crowded = false;
};

// Requests of one exchange, and whom each is with.
class Pending {
 public:
  explicit Pending(const Patience& patience) : patience_(patience) {}

  void add(MPI_Request request, int partner) {
    requests_.push_back(request);
    partners_.push_back(partner);
  }

  // Throws Error when they are not done in time.
  void wait() {
    constexpr int kTestsPerLook = 64;
    const double start          = MPI_Wtime();
    int done                    = 0;
    for (int tests = 0; done == 0; ++tests) {
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
      if (done != 0 || tests % kTestsPerLook != kTestsPerLook - 1) continue;
      if (patience_.crowded) sched_yield();
      if (MPI_Wtime() - start > patience_.timeout.value()) give_up();
    }
  }

 private:
  [[noreturn]] void give_up() {
    std::set<int> missing;
    for (size_t i = 0; i < requests_.size(); ++i) {
      int done = 0;
      MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE);
      if (done == 0) missing.insert(partners_[i]);
    }
    std::string names;
    for (const int rank : missing)
      names += (names.empty() ? "" : " and ") + std::string("rank ") + std::to_string(rank);
    throw Error("", "has waited " + format(patience_.timeout) + " for " + names + "; give more with --timeout");
  }

  Patience patience_;
  std::vector<MPI_Request> requests_;
  std::vector<int> partners_;
};

// MPI counts in int.
template <class Byte, class F>
void in_pieces(std::span<Byte> bytes, F f) {
  constexpr size_t kLargest = size_t{1} << 30U;
  do {
    const size_t count = std::min(bytes.size(), kLargest);
    f(bytes.data(), static_cast<int>(count));
    bytes = bytes.subspan(count);
  } while (!bytes.empty());
}

void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming, const Patience& patience) {
  Pending pending(patience);
  for (const auto& [rank, bytes] : incoming) {
    in_pieces(bytes, [&, from = rank](std::byte* data, int count) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(data, count, MPI_BYTE, from, kTag, MPI_COMM_WORLD, &request);
      pending.add(request, from);
    });
  }
  for (const auto& [rank, bytes] : outgoing) {
    in_pieces(bytes, [&, to = rank](const std::byte* data, int count) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(data, count, MPI_BYTE, to, kTag, MPI_COMM_WORLD, &request);
      pending.add(request, to);
    });
  }
  pending.wait();
}

// The answers of all processes come to the first, which writes them.
void gather(size_t program, const Job& job, std::string answer, const fs::path& folder, const Exchange& exchange) {
  int64_t size = static_cast<int64_t>(answer.size());
  if (job.rank > 0) {
    exchange(std::vector<Outgoing>{{0, std::as_bytes(std::span(&size, 1))}, {0, std::as_bytes(std::span(answer))}}, {});
    return;
  }
  write_file((folder / answer_file(program, 0)).string(), answer);
  for (int rank = 1; rank < static_cast<int>(job.devices.size()); ++rank) {
    exchange({}, std::vector<Incoming>{{rank, std::as_writable_bytes(std::span(&size, 1))}});
    answer.resize(static_cast<size_t>(size));
    exchange({}, std::vector<Incoming>{{rank, std::as_writable_bytes(std::span(answer))}});
    write_file((folder / answer_file(program, rank)).string(), answer);
  }
}

void run(const fs::path& folder, int rank, const Patience& patience) {
  const Exchange talk = [patience](std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
    exchange(outgoing, incoming, patience);
  };
  for (size_t program = 0; fs::exists(folder / job_file(program, 0)); ++program) {
    const fs::path file = folder / job_file(program, rank);
    if (!fs::exists(file)) continue;  // it needs fewer processes
    const Job job      = job_from(read_file(file.string()));
    std::string answer = run_job(job, talk);
    try {
      gather(program, job, std::move(answer), folder, talk);
    } catch (const Error& error) {
      throw Error("the end of the program", error.problem());
    }
  }
}

// Says why, and ends all processes.
[[noreturn]] void fail(const fs::path& folder, int rank, const std::string& where, const std::string& problem) {
  write_file((folder / failure_file(rank)).string(), pack({where, problem}));
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace
}  // namespace foreflow::execute

int main(int argc, char** argv) {
  using namespace foreflow::execute;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // mpirun never leaves a process behind, however it ends
  MPI_Init(&argc, &argv);
  int rank = 0, count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const fs::path folder = argv[1];
  MPI_Barrier(MPI_COMM_WORLD);
  try {
    if (rank == 0) foreflow::write_file((folder / kStarted).string(), "");
    const bool crowded = count > static_cast<int>(std::thread::hardware_concurrency());
    run(folder, rank, {foreflow::Seconds(foreflow::parse_number<double>(argv[2]).value()), crowded});
  } catch (const foreflow::Error& error) {
    fail(folder, rank, error.where(), error.problem());
  } catch (const std::bad_alloc&) {
    fail(folder, rank, "memory", "ran out of it; " + format(foreflow::available_memory()) + " are available here");
  } catch (const std::exception& problem) {
    fail(folder, rank, "internal error", problem.what());
  }
  MPI_Finalize();
  std::_Exit(0);  // what MPI leaves in memory is not worth a report
}
