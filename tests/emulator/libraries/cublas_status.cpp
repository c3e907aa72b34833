// Names and descriptions of cuBLAS statuses, and the library's version by parts.
#include <cublas_v2.h>

#include "emulator.hpp"

namespace {

struct Description {
  cublasStatus_t status;
  const char* name;
  const char* text;
};

#define STANDIN_STATUS(status, text) \
  { status, #status, text }

const Description descriptions[] = {
    STANDIN_STATUS(CUBLAS_STATUS_SUCCESS, "success"),
    STANDIN_STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized"),
    STANDIN_STATUS(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed"),
    STANDIN_STATUS(CUBLAS_STATUS_INVALID_VALUE, "an invalid value was used as an argument"),
    STANDIN_STATUS(CUBLAS_STATUS_ARCH_MISMATCH, "an absent device architectural feature is required"),
    STANDIN_STATUS(CUBLAS_STATUS_MAPPING_ERROR, "an access to GPU memory space failed"),
    STANDIN_STATUS(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed to launch on the GPU"),
    STANDIN_STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed"),
    STANDIN_STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "the functionality is not supported"),
    STANDIN_STATUS(CUBLAS_STATUS_LICENSE_ERROR, "an error appeared when checking current licensing"),
};

const Description* find(cublasStatus_t status) {
  for (const Description& description : descriptions) {
    if (description.status == status) return &description;
  }
  return nullptr;
}

}  // namespace

extern "C" {

const char* cublasGetStatusName(cublasStatus_t status) {
  const Description* found = find(status);
  return found != nullptr ? found->name : "unknown status";
}

const char* cublasGetStatusString(cublasStatus_t status) {
  const Description* found = find(status);
  return found != nullptr ? found->text : "unknown status";
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  if (emulator::fails("cublasGetProperty")) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION:
      *value = CUBLAS_VER_MAJOR;
      return CUBLAS_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = CUBLAS_VER_MINOR;
      return CUBLAS_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = CUBLAS_VER_PATCH;
      return CUBLAS_STATUS_SUCCESS;
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

}  // extern "C"
