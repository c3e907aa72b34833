// What the stand-in libraries (cuBLAS, cuSOLVER) need from the stand-in runtime.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace emulator {

// Runs `work` in stream order: at once, or, with lazy streams, when something waits for it.
void enqueue(cudaStream_t stream, const char* what, std::function<void()> work);

// The address through which emulated device work may touch [p, p + bytes). Reports a defect where the range is not
// inside one live device allocation. Call it inside `work`.
void* device(const void* p, std::size_t bytes, const char* what);

bool is_device(const void* p);

// True where the fault plan says that this call is to fail, and for every call on a device with a sticky error. Call
// it once, first, in every API function.
bool fails(const char* call);

// The emulator records no graphs: a library call on a capturing stream fails.
bool is_capturing(cudaStream_t stream);

// Synchronisations that a library makes on its own account: counted, and beyond the reach of the fault plan.
void wait_for_stream(cudaStream_t stream, const char* call);
void wait_for_device(const char* call);

int current_device();

void count(const char* counter, std::uint64_t by = 1);

// Keeps the number of live objects of a kind; emulator_live() gives it to tests.
void track(const char* kind, int change);

// Reports a defect of the program under test and aborts.
[[noreturn]] void defect(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace emulator
