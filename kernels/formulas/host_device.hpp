#pragma once

/// Marks a formula that the host and the device compile from the same text.
#if defined(__CUDACC__)
#define CARBO_HOST_DEVICE __host__ __device__
#else
#define CARBO_HOST_DEVICE
#endif
