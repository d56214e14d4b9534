// Measures the events of a scenario with cuBLAS, NCCL and kernels of its own, timed by CUDA events.
//
//     foreflow events SCENARIO.json --csv events.csv
//     nvcc -std=c++17 -O2 -o profile calibration/profile.cu -lcublas -lnccl -lnvidia-ml
//     ./profile events.csv -o times.csv [--device 0] [--warm-up 10] [--repeat 50]
//     foreflow calibrate times.csv -o calibration/mine.json
//
// Measured are products (MatMul, Gemm, MatMulGrad), element-wise ops, softmax and layer norms on one GPU, and
// collectives over the GPUs of this machine; the others are named on stderr and left out, never guessed. A time is the
// median of `repeat` executions after `warm-up` ones, each with the cache overwritten before it. Comments at the head
// of the output say on what, with which clocks and versions.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <nvml.h>

#include <cstdio>
#include <functional>
#include <memory>

#include "profile_rows.h"

namespace profile {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Failure(what, cudaGetErrorString(status));
}
void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) throw Failure(what, cublasGetStatusString(status));
}
void check(ncclResult_t status, const char* what) {
  if (status != ncclSuccess) throw Failure(what, ncclGetErrorString(status));
}

// Memory of the current device. Its contents do not matter, but it is all zeros, so that nothing is NaN.
class Buffer {
 public:
  explicit Buffer(size_t bytes) : bytes_(bytes) {
    check(cudaMalloc(&data_, bytes_), "cudaMalloc");
    check(cudaMemset(data_, 0, bytes_), "cudaMemset");
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&)            = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* data() const { return data_; }
  void overwrite(cudaStream_t stream) const { check(cudaMemsetAsync(data_, 1, bytes_, stream), "cudaMemsetAsync"); }

 private:
  void* data_ = nullptr;
  size_t bytes_;
};
using Buffers = std::vector<std::unique_ptr<Buffer>>;

// --- Kernels: one read of each operand and one write of each result, in fp32 within ---

enum class Unary { relu, gelu, sigmoid, tanh };
enum class Binary { add, subtract, multiply };

__device__ float applied(Unary op, float x) {
  switch (op) {
    case Unary::relu: return fmaxf(x, 0);
    case Unary::gelu: return 0.5F * x * (1 + erff(x * 0.70710678F));
    case Unary::sigmoid: return 1 / (1 + expf(-x));
    default: return tanhf(x);
  }
}
__device__ float applied(Binary op, float x, float y) {
  return op == Binary::add ? x + y : op == Binary::subtract ? x - y : x * y;
}

template <class T>
__global__ void unary_kernel(Unary op, const T* x, T* y, int64_t count) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    y[i] = static_cast<T>(applied(op, static_cast<float>(x[i])));
}

// `b` has the last dimensions of `a` and repeats along the others.
template <class T>
__global__ void binary_kernel(Binary op, const T* a, const T* b, T* y, int64_t count, int64_t period) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    y[i] = static_cast<T>(applied(op, static_cast<float>(a[i]), static_cast<float>(b[i % period])));
}

template <class Combine>
__device__ float over_block(float value, float nothing, Combine combine) {
  __shared__ float parts[32];
  for (int offset = 16; offset > 0; offset /= 2) value = combine(value, __shfl_down_sync(0xffffffffU, value, offset));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : nothing;
  if (threadIdx.x < 32) {
    for (int offset = 16; offset > 0; offset /= 2) value = combine(value, __shfl_down_sync(0xffffffffU, value, offset));
    if (threadIdx.x == 0) parts[0] = value;
  }
  __syncthreads();
  value = parts[0];
  __syncthreads();
  return value;
}
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// A block for each row.
template <class T>
__global__ void softmax_kernel(const T* x, T* y, int64_t length) {
  x += blockIdx.x * length, y += blockIdx.x * length;
  float largest = -INFINITY, sum = 0;
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x) largest = fmaxf(largest, static_cast<float>(x[i]));
  largest = over_block(largest, -INFINITY, Larger());
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x) sum += expf(static_cast<float>(x[i]) - largest);
  sum = over_block(sum, 0, Sum());
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x)
    y[i] = static_cast<T>(expf(static_cast<float>(x[i]) - largest) / sum);
}

template <class T>
__global__ void norm_kernel(const T* x, const T* scale, const T* bias, T* y, int64_t length) {
  x += blockIdx.x * length, y += blockIdx.x * length;
  float sum = 0, squares = 0;
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x) {
    const auto value = static_cast<float>(x[i]);
    sum += value, squares += value * value;
  }
  const float mean     = over_block(sum, 0, Sum()) / static_cast<float>(length);
  const float variance = over_block(squares, 0, Sum()) / static_cast<float>(length) - mean * mean;
  const float inverse  = rsqrtf(fmaxf(variance, 0) + 1e-5F);
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x)
    y[i] = static_cast<T>((static_cast<float>(x[i]) - mean) * inverse * static_cast<float>(scale[i]) +
                          (bias == nullptr ? 0 : static_cast<float>(bias[i])));
}

// --- What to run for an event on one device ---

struct Launcher {
  cudaStream_t stream;
  cublasHandle_t blas;
  int processors;
};

// Keeps the buffers that it runs on.
struct Work {
  std::shared_ptr<Buffers> buffers = std::make_shared<Buffers>();
  std::function<void()> run;  // empty: it is not known here

  void* add(size_t bytes) {
    buffers->push_back(std::make_unique<Buffer>(std::max<size_t>(bytes, 1)));
    return buffers->back()->data();
  }
};

constexpr int kThreads = 256;

template <class T>
void fill(Work& work, const Signature& s, const Launcher& on) {
  const Tensor& x   = s.operands[0];
  const auto count  = x.elements();
  const auto blocks = static_cast<unsigned>(std::min<int64_t>((count + kThreads - 1) / kThreads, 8LL * on.processors));
  const auto length = x.dims.empty() ? 1 : x.dims.back();
  const auto rows   = static_cast<unsigned>(count / length);
  std::vector<T*> in;
  for (const Tensor& operand : s.operands)
    in.push_back(static_cast<T*>(work.add(static_cast<size_t>(operand.bytes()))));
  T* const out                                     = static_cast<T*>(work.add(static_cast<size_t>(x.bytes())));
  const cudaStream_t stream                        = on.stream;
  static const std::map<std::string, Unary> kUnary = {
      {"Relu", Unary::relu}, {"Gelu", Unary::gelu}, {"Sigmoid", Unary::sigmoid}, {"Tanh", Unary::tanh}};
  static const std::map<std::string, Binary> kBinary = {
      {"Add", Binary::add}, {"Sub", Binary::subtract}, {"Mul", Binary::multiply}};
  if (const auto unary = kUnary.find(s.op); unary != kUnary.end() && s.operands.size() == 1) {
    work.run = [=, op = unary->second] { unary_kernel<T><<<blocks, kThreads, 0, stream>>>(op, in[0], out, count); };
  } else if (const auto binary = kBinary.find(s.op); binary != kBinary.end() && s.operands.size() == 2) {
    const Tensor& y = s.operands[1];
    if (!(s.results[0] == x) || y.dims.size() > x.dims.size() ||
        !std::equal(y.dims.rbegin(), y.dims.rend(), x.dims.rbegin()))
      return;
    work.run = [=, op = binary->second, period = y.elements()] {
      binary_kernel<T><<<blocks, kThreads, 0, stream>>>(op, in[0], in[1], out, count, period);
    };
  } else if (s.op == "Softmax") {
    const auto axis = s.attributes.find("axis");
    if (axis != s.attributes.end() && axis->second != "-1") return;
    work.run = [=] { softmax_kernel<T><<<rows, kThreads, 0, stream>>>(in[0], out, length); };
  } else if (s.op == "LayerNormalization" && s.operands.size() >= 2 && s.operands[1].elements() == length) {
    work.run = [=] {
      norm_kernel<T><<<rows, kThreads, 0, stream>>>(in[0], in[1], in.size() > 2 ? in[2] : nullptr, out, length);
    };
  }
}

cudaDataType_t data_type(const std::string& dtype) {
  return dtype == "f16" ? CUDA_R_16F : dtype == "bf16" ? CUDA_R_16BF : CUDA_R_32F;
}

// cuBLAS counts columns first: the transpose of a row-major c = a b is b' a'.
void multiply(const Launcher& on, const Product& p, const void* a, const void* b, void* c) {
  const float one = 1, zero = 0;
  const auto whole = [](int64_t value) { return static_cast<int>(value); };
  const auto type  = data_type(p.dtype);
  check(cublasGemmStridedBatchedEx(on.blas, p.transposed_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                                   p.transposed_a ? CUBLAS_OP_T : CUBLAS_OP_N, whole(p.n), whole(p.m), whole(p.k), &one,
                                   b, type, whole(p.transposed_b ? p.k : p.n), p.k * p.n, a, type,
                                   whole(p.transposed_a ? p.m : p.k), p.m * p.k, &zero, c, type, whole(p.n), p.m * p.n,
                                   whole(p.batch), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

Work products(const std::vector<Product>& all, const Launcher& on) {
  Work work;
  std::vector<std::function<void()>> each;
  for (const Product& p : all) {
    const auto bytes = [&](int64_t elements) {
      return static_cast<size_t>(p.batch * elements * Tensor{p.dtype, {}}.width());
    };
    void* const a = work.add(bytes(p.m * p.k));
    void* const b = work.add(bytes(p.k * p.n));
    void* const c = work.add(bytes(p.m * p.n));
    each.push_back([=] { multiply(on, p, a, b, c); });
  }
  work.run = [each] {
    for (const auto& one : each) one();
  };
  return work;
}

bool attributes_are_known(const Signature& s) {
  return has_only(s, {"axis", "epsilon", "approximate", "transA", "transB"});
}

Work work_of(const Event& event, const Launcher& on) {
  const auto signature = signature_of(event.at("signature"));
  if (!signature || signature->operands.empty() || !attributes_are_known(*signature)) return {};
  const std::string dtype = signature->operands[0].dtype;
  for (const Tensor& operand : signature->operands) {
    if (operand.width() == 0 || operand.dtype != dtype) return {};
  }
  if (const auto all = products_of(*signature); !all.empty()) return products(all, on);
  Work work;
  if (dtype == "f16") fill<__half>(work, *signature, on);
  if (dtype == "bf16") fill<__nv_bfloat16>(work, *signature, on);
  if (dtype == "f32") fill<float>(work, *signature, on);
  return work;
}

// --- Times ---

// Seconds of each of `repeat` executions on `stream`, with the cache overwritten before.
std::vector<double> times_of(const std::function<void()>& run, cudaStream_t stream, const Buffer& flush,
                             const Options& options) {
  for (int i = 0; i < options.warm_up; ++i) run();
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> times;
  for (int i = 0; i < options.repeat; ++i) {
    flush.overwrite(stream);
    check(cudaEventRecord(begin, stream), "cudaEventRecord");
    run();
    check(cudaEventRecord(end, stream), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    check(cudaGetLastError(), "a kernel");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    times.push_back(milliseconds * 1e-3);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return times;
}

// --- Messages: one process, a communicator for each device ---

class Group {
 public:
  explicit Group(int ranks) : comms_(static_cast<size_t>(ranks)), streams_(static_cast<size_t>(ranks)) {
    check(ncclCommInitAll(comms_.data(), ranks, nullptr), "ncclCommInitAll");
    for (int rank = 0; rank < ranks; ++rank) {
      check(cudaSetDevice(rank), "cudaSetDevice");
      check(cudaStreamCreate(&streams_[static_cast<size_t>(rank)]), "cudaStreamCreate");
    }
  }
  ~Group() {
    for (size_t rank = 0; rank < comms_.size(); ++rank) {
      cudaSetDevice(static_cast<int>(rank));
      cudaStreamDestroy(streams_[rank]);
      ncclCommDestroy(comms_[rank]);
    }
  }
  Group(const Group&)            = delete;
  Group& operator=(const Group&) = delete;

  // `message` counts bytes as the column message_bytes does. Empty: the op is not known here.
  std::vector<double> times(const std::string& op, size_t message, const Options& options);

 private:
  int ranks() const { return static_cast<int>(comms_.size()); }
  // What one rank does. False: the op is not known.
  bool call(const std::string& op, size_t message, int rank, char* in, char* out);

  std::vector<ncclComm_t> comms_;
  std::vector<cudaStream_t> streams_;
};

bool Group::call(const std::string& op, size_t message, int rank, char* in, char* out) {
  const auto r              = static_cast<size_t>(rank);
  const ncclComm_t comm     = comms_[r];
  const cudaStream_t stream = streams_[r];
  const size_t part         = message / static_cast<size_t>(ranks());
  const auto count          = [](size_t bytes) { return std::max<size_t>(bytes / 2, 1); };  // of halves
  if (op == "MPIAllreduce") {
    check(ncclAllReduce(in, out, count(message), ncclHalf, ncclSum, comm, stream), "ncclAllReduce");
  } else if (op == "MPIAllgather") {
    check(ncclAllGather(in, out, count(part), ncclHalf, comm, stream), "ncclAllGather");
  } else if (op == "MPIReduceScatter") {
    check(ncclReduceScatter(in, out, count(part), ncclHalf, ncclSum, comm, stream), "ncclReduceScatter");
  } else if (op == "MPIBroadcast") {
    check(ncclBroadcast(in, out, count(message), ncclHalf, 0, comm, stream), "ncclBroadcast");
  } else if (op == "MPIReduce") {
    check(ncclReduce(in, out, count(message), ncclHalf, ncclSum, 0, comm, stream), "ncclReduce");
  } else if (op == "MPIAlltoall") {
    for (int peer = 0; peer < ranks(); ++peer) {
      const size_t at = static_cast<size_t>(peer) * part;
      check(ncclSend(in + at, count(part), ncclHalf, peer, comm, stream), "ncclSend");
      check(ncclRecv(out + at, count(part), ncclHalf, peer, comm, stream), "ncclRecv");
    }
  } else if (op == "Send" && ranks() == 2) {
    check(rank == 0 ? ncclSend(in, count(message), ncclHalf, 1, comm, stream)
                    : ncclRecv(out, count(message), ncclHalf, 0, comm, stream),
          "ncclSend");
  } else {
    return false;
  }
  return true;
}

std::vector<double> Group::times(const std::string& op, size_t message, const Options& options) {
  Buffers in, out;
  for (int rank = 0; rank < ranks(); ++rank) {
    check(cudaSetDevice(rank), "cudaSetDevice");
    in.push_back(std::make_unique<Buffer>(message + 2));
    out.push_back(std::make_unique<Buffer>(message + 2));
  }
  bool known     = true;
  const auto run = [&] {
    check(ncclGroupStart(), "ncclGroupStart");
    for (int rank = 0; rank < ranks(); ++rank) {
      const auto r = static_cast<size_t>(rank);
      known = call(op, message, rank, static_cast<char*>(in[r]->data()), static_cast<char*>(out[r]->data())) && known;
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
  };
  // One execution, so that an op that is not known is not timed.
  run();
  std::vector<double> measured;
  if (known) {
    check(cudaSetDevice(0), "cudaSetDevice");
    const Buffer flush(1);
    measured = times_of(run, streams_[0], flush, options);
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    check(cudaSetDevice(rank), "cudaSetDevice");
    check(cudaStreamSynchronize(streams_[static_cast<size_t>(rank)]), "cudaStreamSynchronize");
  }
  return measured;
}

// --- What it was measured on ---

class Nvml {
 public:
  Nvml() : works_(nvmlInit_v2() == NVML_SUCCESS) {}
  ~Nvml() {
    if (works_) nvmlShutdown();
  }
  Nvml(const Nvml&)            = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string driver() const {
    char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "unknown";
    if (works_) nvmlSystemGetDriverVersion(text, sizeof text);
    return text;
  }
  // "1410 MHz (SM), 1593 MHz (memory), 400 W limit" of the device on this PCI bus.
  std::string clocks(const char* bus) const {
    nvmlDevice_t device = nullptr;
    if (!works_ || nvmlDeviceGetHandleByPciBusId_v2(bus, &device) != NVML_SUCCESS) return "clocks unknown";
    unsigned processor = 0, memory = 0, power = 0;
    nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &processor);
    nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, &memory);
    nvmlDeviceGetPowerManagementLimit(device, &power);
    return std::to_string(processor) + " MHz (SM), " + std::to_string(memory) + " MHz (memory), " +
           std::to_string(power / 1000) + " W limit";
  }

 private:
  bool works_;
};

std::string dotted(int version, int thousand, int ten) {
  return std::to_string(version / thousand) + "." + std::to_string(version % thousand / ten);
}

std::string versions() {
  int runtime = 0, blas = 0, nccl = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cublasCreate");
  cublasGetVersion(handle, &blas);
  cublasDestroy(handle);
  check(ncclGetVersion(&nccl), "ncclGetVersion");
  return "CUDA " + dotted(runtime, 1000, 10) + ", cuBLAS " + std::to_string(blas) + ", NCCL " +
         dotted(nccl, 10000, 100) + "." + std::to_string(nccl % 100);
}

// --- The program ---

int run(const Options& options) {
  std::ifstream source(options.events);
  if (!source) throw Failure(options.events, "cannot be read");
  const EventList list = read_events(source, options.events);
  check(cudaSetDevice(options.device), "--device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, options.device), "cudaGetDeviceProperties");
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  char bus[32] = "";
  check(cudaDeviceGetPCIBusId(bus, sizeof bus, options.device), "cudaDeviceGetPCIBusId");
  const Nvml nvml;
  std::ofstream target(options.output);
  if (!target) throw Failure(options.output, "cannot be written");
  target << "# " << devices << " x " << properties.name << ", driver " << nvml.driver() << ", " << versions() << "\n"
         << "# before: " << nvml.clocks(bus) << "; warm-up " << options.warm_up << ", repeat " << options.repeat
         << "\n";
  for (size_t i = 0; i < list.columns.size(); ++i) target << (i == 0 ? "" : ",") << list.columns[i];
  target << "\n";
  Launcher on{nullptr, nullptr, properties.multiProcessorCount};
  check(cudaStreamCreate(&on.stream), "cudaStreamCreate");
  check(cublasCreate(&on.blas), "cublasCreate");
  check(cublasSetStream(on.blas, on.stream), "cublasSetStream");
  constexpr size_t kCache = size_t{256} << 20;  // larger than any
  const Buffer flush(kCache);
  std::map<int, std::unique_ptr<Group>> groups;
  for (const Event& event : list.events) {
    std::vector<double> times;
    if (!is_of_device(event, properties.name)) {
      std::fprintf(stderr, "of %s: ", event.at("device").c_str());
    } else if (event.at("kind") == "compute") {
      check(cudaSetDevice(options.device), "cudaSetDevice");
      const Work work = work_of(event, on);
      if (work.run) times = times_of(work.run, on.stream, flush, options);
    } else if (const int ranks = static_cast<int>(event.number("ranks"));
               ranks >= 2 && ranks <= devices && nodes_of(event) == 1) {
      auto& group = groups[ranks];
      if (!group) group = std::make_unique<Group>(ranks);
      times = group->times(event.at("op"), static_cast<size_t>(event.number("message_bytes")), options);
    }
    if (times.empty()) {
      std::fprintf(stderr, "not measured: %s\n", event.at("signature").c_str());
    } else {
      target << measured_line(list.columns, event, times) << std::flush;
    }
  }
  target << "# after: " << nvml.clocks(bus) << "\n";
  groups.clear();
  cublasDestroy(on.blas);
  cudaStreamDestroy(on.stream);
  return 0;
}

}  // namespace
}  // namespace profile

int main(int count, char** words) {
  try {
    return profile::run(profile::options_of(std::vector<std::string>(words + 1, words + count)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "profile: error: %s\n", error.what());
    return 1;
  }
}
