// Memory, pools, limits and what the devices say of themselves.
#include <cmath>
#include <cstring>

#include "device_array.hpp"
#include "plain.hpp"

namespace {

using emulator::Setting;

cudaMemPoolProps properties_on(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  return properties;
}

std::uint64_t pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t value = 0;
  EXPECT_CUDA(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

}  // namespace

TEST(Memory, NewMemoryIsPoisoned) {
  EXPECT_TRUE(std::isnan(DeviceArray<double>(3).values()[2]));
  EXPECT_EQ(DeviceArray<int>(3).values()[0], -1);
  double* pinned = nullptr;
  ASSERT_CUDA(cudaHostAlloc(reinterpret_cast<void**>(&pinned), sizeof(double), cudaHostAllocDefault));
  EXPECT_TRUE(std::isnan(*pinned));
  ASSERT_CUDA(cudaFreeHost(pinned));
}

TEST(Memory, PointerAttributes) {
  const DeviceArray<int> p(4);
  int pageable = 0;
  cudaPointerAttributes attributes;
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, p + 1));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, &pageable));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST(Memory, CopiesInTwoDimensions) {
  const char host[3][5] = {"abcd", "efgh", "ijkl"};
  char back[3][4];
  char* p = nullptr;
  std::size_t pitch = 0;
  ASSERT_CUDA(cudaMallocPitch(reinterpret_cast<void**>(&p), &pitch, 4, 3));
  ASSERT_CUDA(cudaMemcpy2D(p, pitch, host, 5, 4, 3, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemset2D(p + 1, pitch, '-', 2, 2));
  ASSERT_CUDA(cudaMemcpy2D(back, 4, p, pitch, 4, 3, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::memcmp(back, "a--de--hijkl", 12), 0);
  EXPECT_EQ(cudaMemcpy(back, p, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  cudaGetLastError();
  ASSERT_CUDA(cudaFree(p));
}

TEST(Memory, LimitsOfADevice) {
  const Setting small("EMULATOR_MEMORY", "1000");
  std::size_t free = 0, total = 0;
  void* p = nullptr;
  const DeviceArray<char> part(600);
  ASSERT_CUDA(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, 400u);
  EXPECT_EQ(total, 1000u);
  EXPECT_EQ(cudaMalloc(&p, 401), cudaErrorMemoryAllocation);
  EXPECT_EQ(p, nullptr);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaErrorMemoryAllocation");
  EXPECT_EQ(cudaFree(&free), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Memory, DISABLED_LeakForTheReport) {
  void* p = nullptr;
  ASSERT_CUDA(cudaMalloc(&p, 400));
}

TEST(Pools, MemoryComesAndGoesInStreamOrder) {
  const Setting lazy("EMULATOR_STREAMS", "lazy"), seed("EMULATOR_SEED", "0");
  const Stream stream;
  const auto properties = properties_on(0);
  cudaMemPool_t pool = nullptr;
  ASSERT_CUDA(cudaMemPoolCreate(&pool, &properties));
  EXPECT_EQ(emulator_live("pools"), 1);
  std::uint64_t threshold = ~std::uint64_t(0);
  ASSERT_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT_EQ(pool_attribute(pool, cudaMemPoolAttrReleaseThreshold), threshold);
  int *p = nullptr, *result = nullptr;
  ASSERT_CUDA(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&p), 400, pool, stream));
  ASSERT_CUDA(cudaMallocHost(reinterpret_cast<void**>(&result), sizeof(int)));
  EXPECT_EQ(pool_attribute(pool, cudaMemPoolAttrUsedMemCurrent), 400u);
  ASSERT_CUDA(launch_fill(p, 100, 7, stream));
  ASSERT_CUDA(cudaMemcpyAsync(result, p, sizeof(int), cudaMemcpyDeviceToHost, stream));
  ASSERT_CUDA(cudaFreeAsync(p, stream));
  EXPECT_EQ(emulator_device_bytes(), 400u);
  stream.wait();
  EXPECT_EQ(*result, 7);
  EXPECT_EQ(emulator_device_bytes(), 0u);
  EXPECT_EQ(pool_attribute(pool, cudaMemPoolAttrUsedMemHigh), 400u);
  EXPECT_CUDA(cudaMemPoolTrimTo(pool, 0));
  ASSERT_CUDA(cudaMemPoolDestroy(pool));
  EXPECT_EQ(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&p), 400, pool, stream), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_EQ(emulator_live("pools"), 0);
  ASSERT_CUDA(cudaFreeHost(result));
}

TEST(Pools, CanBeUnsupported) {
  const Setting none("EMULATOR_POOLS", "unsupported");
  const Stream stream;
  const auto properties = properties_on(0);
  int supported = 1;
  void* p = nullptr;
  cudaMemPool_t pool = nullptr;
  ASSERT_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  EXPECT_EQ(supported, 0);
  EXPECT_EQ(cudaMallocAsync(&p, 8, stream), cudaErrorNotSupported);
  EXPECT_EQ(cudaMemPoolCreate(&pool, &properties), cudaErrorNotSupported);
  cudaGetLastError();
}

TEST(Devices, Capability) {
  cudaDeviceProp properties;
  ASSERT_CUDA(cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQ(10 * properties.major + properties.minor, 75);
  const Setting old("EMULATOR_CAPABILITY", "6.0");
  ASSERT_CUDA(cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQ(properties.major, 6);
  const DeviceArray<int> p(1);
  EXPECT_EQ(launch_write_at(p, 0, 1, nullptr), cudaErrorNoKernelImageForDevice);
}

TEST(Devices, None) {
  const Setting none("EMULATOR_DEVICES", "0");
  int count = -1;
  void* p = nullptr;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(cudaMalloc(&p, 8), cudaErrorNoDevice);
  EXPECT_STREQ(cudaGetErrorString(cudaGetLastError()), "no CUDA-capable device is detected");
}

TEST(Launches, AttributesAndLimits) {
  cudaFuncAttributes attributes;
  int blocks = 0;
  const DeviceArray<int> p(1);
  ASSERT_CUDA(cudaFuncGetAttributes(&attributes, bounded_kernel()));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
  EXPECT_EQ(attributes.sharedSizeBytes, 800u);
  EXPECT_EQ(attributes.ptxVersion, 75);
  ASSERT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded_kernel(), 128, 0));
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(launch_bounded(256, p, nullptr), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(launch_bounded(0, p, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Launches, LargeSharedMemoryOnRequest) {
  constexpr int bytes = 60000, threads = 128;
  const DeviceArray<double> p(threads);
  EXPECT_EQ(launch_reverse(threads, bytes, p, nullptr), cudaErrorInvalidValue);
  ASSERT_CUDA(cudaFuncSetAttribute(reverse_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  double* argument = p;
  void* arguments[] = {&argument};
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 1;
  configuration.blockDim = threads;
  configuration.dynamicSmemBytes = bytes;
  ASSERT_CUDA(cudaLaunchKernelExC(&configuration, reverse_kernel(), arguments));
  EXPECT_EQ(p.values()[0], threads - 1.0);
}
