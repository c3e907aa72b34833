#include <carbo/error.hpp>

#include "c/convert.hpp"
#include "c/status.hpp"
#include "support/text.hpp"

namespace carbo::internal::c {
namespace {

template <class Struct>
void require_struct(const Struct* given, const char* name) {
  require_pointer(given, name);
  require_struct_size(given->struct_size, sizeof(Struct), name);
}

std::size_t extent(int64_t value, const char* name, const char* member) {
  if (value < 0) throw Refusal(CARBO_SHAPE, text(name, ".", member, " is ", value, "; give 0 or above"));
  return static_cast<std::size_t>(value);
}

Memory memory(carbo_memory memory, const char* name) {
  if (memory == CARBO_HOST) return Memory::host;
  if (memory == CARBO_DEVICE) return Memory::device;
  throw InvalidOptions(text(name, ".memory is ", memory, "; give CARBO_HOST or CARBO_DEVICE"));
}

Scalar scalar(carbo_scalar scalar, const char* name) {
  if (scalar == CARBO_FLOAT32) return Scalar::float32;
  if (scalar == CARBO_FLOAT64) return Scalar::float64;
  throw InvalidOptions(text(name, ".scalar is ", scalar, "; give CARBO_FLOAT32 or CARBO_FLOAT64"));
}

Order order(carbo_order order, const char* name) {
  if (order == CARBO_ROW_MAJOR) return Order::row_major;
  if (order == CARBO_COLUMN_MAJOR) return Order::column_major;
  throw InvalidOptions(text(name, ".order is ", order, "; give CARBO_ROW_MAJOR or CARBO_COLUMN_MAJOR"));
}

/// Of an array that may be left out: null leaves it out, and a size of 0 is a mistake.
template <class Ref>
Ref not_empty(Ref array, const char* name) {
  if (array.size == 0) throw Refusal(CARBO_SHAPE, text(name, ".size is 0; give null to leave ", name, " out"));
  return array;
}

}  // namespace

void require_struct_size(uint64_t given, uint64_t known, const char* name) {
  if (given == known) return;
  throw Refusal(CARBO_STRUCT_VERSION,
                text(name, ".struct_size is ", given, ", this library knows ", known,
                     "; set it with sizeof, and use the header and the library of one version"));
}

MatrixRef matrix(const carbo_matrix* matrix, const char* name) {
  require_struct(matrix, name);
  return {.data = matrix->data,
          .scalar = scalar(matrix->scalar, name),
          .memory = memory(matrix->memory, name),
          .order = order(matrix->order, name),
          .rows = extent(matrix->rows, name, "rows"),
          .columns = extent(matrix->columns, name, "columns"),
          .leading_dimension = extent(matrix->leading_dimension, name, "leading_dimension")};
}

VectorRef vector(const carbo_vector* vector, const char* name) {
  require_struct(vector, name);
  return {.data = vector->data,
          .scalar = scalar(vector->scalar, name),
          .memory = memory(vector->memory, name),
          .size = extent(vector->size, name, "size")};
}

VectorRef vector_or_none(const carbo_vector* given, const char* name) {
  return given == nullptr ? VectorRef{} : not_empty(vector(given, name), name);
}

IndexRef indices(const carbo_indices* indices, const char* name) {
  require_struct(indices, name);
  return {
      .data = indices->data, .memory = memory(indices->memory, name), .size = extent(indices->size, name, "size")};
}

MutableVectorRef vector_room(const carbo_vector_room* room, const char* name) {
  require_struct(room, name);
  return {.data = room->data,
          .scalar = scalar(room->scalar, name),
          .memory = memory(room->memory, name),
          .size = extent(room->size, name, "size")};
}

MutableVectorRef vector_room_or_none(const carbo_vector_room* given, const char* name) {
  return given == nullptr ? MutableVectorRef{} : not_empty(vector_room(given, name), name);
}

MutableIndexRef index_room(const carbo_index_room* room, const char* name) {
  require_struct(room, name);
  return {.data = room->data, .memory = memory(room->memory, name), .size = extent(room->size, name, "size")};
}

}  // namespace carbo::internal::c
