/* What a test may ask of the stand-in runtime and tell it. Plain C; link against the stand-in libcudart, of which a
   process has one instance. Call these functions where no other thread uses the runtime. */
#ifndef EMULATOR_CONTROL_H
#define EMULATOR_CONTROL_H

#ifdef __cplusplus
extern "C" {
#endif

/* The counter since the start or the last reset; an unknown name gives 0.
     "launches"                      kernels
     "library calls"                 cuBLAS and cuSOLVER calls that enqueue work
     "bytes to device", "bytes to host", "bytes on device"
     "synchronisations"              calls that wait for the device or may do so: cudaStreamSynchronize and the like,
                                     copies that are not asynchronous, copies from or to pageable memory, cudaFree,
                                     cudaFreeHost, cublasDestroy
     "queries"                       cudaStreamQuery and cudaEventQuery
     "allocations"                   device memory, from a pool or not
     "host allocations"              pinned memory
     "peak device bytes"             on all devices together; kept at the live bytes by a reset
     "float64 operations"            of kernels, as executed: add, sub and mul are one, fma is two
     "float64 divisions and roots"   of kernels: div, rcp, sqrt and rsqrt that are exact to rounding
     "float32 operations"            of kernels, divisions and roots included
     "device bytes read", "device bytes written"
                                     what kernels ask of device memory, each thread for itself: an upper bound of what
                                     the memory of a device moves, which caches and joined accesses make less
     "atomics"                       of kernels, on device memory
     "library operations", "library bytes"
                                     of cuBLAS and cuSOLVER calls, by their arguments; every operand counts once
     "default stream operations"     work that was put into the legacy default stream
     "default workspace calls"       cuBLAS calls on a handle without a workspace of the program
     "calls open to emulated math"   cuBLAS calls without pedantic math where CUBLAS_EMULATE_DOUBLE_PRECISION is set
     "calls in emulated math"        cuSOLVER calls
     "faults injected", "API calls" */
unsigned long long emulator_counter(const char* name);
void emulator_reset_counters(void);

/* Live objects: "streams", "events", "pools", "pinned allocations", "cuBLAS handles", "cuSOLVER handles",
   "cuSOLVER params". */
long long emulator_live(const char* kind);

/* Device bytes in live allocations, on all devices. */
unsigned long long emulator_device_bytes(void);

/* Operations that lazy streams hold and have not executed. */
unsigned long long emulator_pending_operations(void);

/* The fault plan from now on; null or "" ends it. A call is one of the CUDA runtime, of cuBLAS or of cuSOLVER.
     "<name>:<k>"          the k-th call (from 1) of that function fails, once
     "*:<k>"               the k-th call fails, leaving out those that release or report
     "sticky:<k>"          as "*:<k>", with cudaErrorIllegalAddress, and so does every later call of the device
     "sticky:<name>:<k>"
   A device that broke works again when a plan is set or ended. Memory that was given back to a broken device is free,
   although the call said otherwise. */
void emulator_set_fault(const char* plan);

/* 1 where the plan that was set last has come to its call. */
int emulator_fault_reached(void);

/* Changes one EMULATOR_ variable (see README.md) for the rest of the process; null gives it its default. Queued work
   is carried out before. Random orders and lazy streams start again from the seed. */
void emulator_set(const char* variable, const char* value);

#ifdef __cplusplus
}
#endif
#endif
