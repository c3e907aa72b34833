#pragma once

#include <cstddef>
#include <cstdint>

/// DLPack's structs as its specification lays them out in memory (64-bit machines), under names of our own so that
/// the official header may be included beside them.
namespace carbo::internal::dlpack {

enum class DeviceKind : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum class TypeCode : std::uint8_t { signed_integer = 0, floating_point = 2 };

inline constexpr std::uint32_t major_version = 1;
inline constexpr std::uint32_t minor_version = 0;
inline constexpr std::uint64_t read_only_flag = 1;

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

struct Device {
  DeviceKind kind;
  std::int32_t id;
};

struct DataType {
  TypeCode code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t dimensions;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null, before 1.2: contiguous and row-major
  std::uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

struct ManagedTensorVersioned {
  Version version;  ///< another major version may have everything but this and the deleter elsewhere
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

static_assert(sizeof(void*) == 8);
static_assert(offsetof(Tensor, device) == 8 && offsetof(Tensor, dimensions) == 16 && offsetof(Tensor, type) == 20);
static_assert(offsetof(Tensor, shape) == 24 && offsetof(Tensor, strides) == 32 &&
              offsetof(Tensor, byte_offset) == 40);
static_assert(sizeof(Version) == 8 && sizeof(Device) == 8 && sizeof(DataType) == 4 && sizeof(Tensor) == 48);
static_assert(offsetof(ManagedTensor, context) == 48 && offsetof(ManagedTensor, deleter) == 56);
static_assert(sizeof(ManagedTensor) == 64);
static_assert(offsetof(ManagedTensorVersioned, context) == 8 && offsetof(ManagedTensorVersioned, deleter) == 16);
static_assert(offsetof(ManagedTensorVersioned, flags) == 24 && offsetof(ManagedTensorVersioned, tensor) == 32);
static_assert(sizeof(ManagedTensorVersioned) == 80);

}  // namespace carbo::internal::dlpack
