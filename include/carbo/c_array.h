/* Arrays that a caller of carbo/carbo.h owns, in host or in device memory. */
#ifndef CARBO_C_ARRAY_H
#define CARBO_C_ARRAY_H

#include <stdint.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this is C */
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t carbo_memory;
enum { CARBO_HOST = 0, CARBO_DEVICE = 1 /* of the selector's CUDA device, or managed */ };
typedef int32_t carbo_scalar;
enum { CARBO_FLOAT32 = 0, CARBO_FLOAT64 = 1 };
typedef int32_t carbo_order;
enum { CARBO_ROW_MAJOR = 0, CARBO_COLUMN_MAJOR = 1 };

typedef struct carbo_matrix {
  uint32_t struct_size;
  carbo_memory memory;
  carbo_scalar scalar;
  carbo_order order;
  const void* data; /* aligned to its scalar */
  int64_t rows;
  int64_t columns;
  int64_t leading_dimension; /* elements from one row (or column) to the next; 0: no gaps */
} carbo_matrix;

/* Contiguous, as all below. */
typedef struct carbo_vector {
  uint32_t struct_size;
  carbo_memory memory;
  carbo_scalar scalar;
  const void* data;
  int64_t size;
} carbo_vector;

/* Rows of the pool, counted from 0. */
typedef struct carbo_indices {
  uint32_t struct_size;
  carbo_memory memory;
  const int64_t* data;
  int64_t size;
} carbo_indices;

/* Room for results. */
typedef struct carbo_vector_room {
  uint32_t struct_size;
  carbo_memory memory;
  carbo_scalar scalar;
  void* data;
  int64_t size;
} carbo_vector_room;

typedef struct carbo_index_room {
  uint32_t struct_size;
  carbo_memory memory;
  int64_t* data;
  int64_t size;
} carbo_index_room;

/* Arrays in one expression. */
static inline carbo_matrix carbo_matrix_of(const void* data, carbo_scalar scalar, carbo_memory memory,
                                           carbo_order order, int64_t rows, int64_t columns) {
  carbo_matrix matrix;
  matrix.struct_size = (uint32_t)sizeof matrix;
  matrix.memory = memory;
  matrix.scalar = scalar;
  matrix.order = order;
  matrix.data = data;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.leading_dimension = 0;
  return matrix;
}
static inline carbo_vector carbo_vector_of(const void* data, carbo_scalar scalar, carbo_memory memory, int64_t size) {
  carbo_vector vector;
  vector.struct_size = (uint32_t)sizeof vector;
  vector.memory = memory;
  vector.scalar = scalar;
  vector.data = data;
  vector.size = size;
  return vector;
}
static inline carbo_vector_room carbo_vector_room_of(void* data, carbo_scalar scalar, carbo_memory memory,
                                                     int64_t size) {
  carbo_vector_room room;
  room.struct_size = (uint32_t)sizeof room;
  room.memory = memory;
  room.scalar = scalar;
  room.data = data;
  room.size = size;
  return room;
}
static inline carbo_indices carbo_indices_of(const int64_t* data, carbo_memory memory, int64_t size) {
  carbo_indices indices;
  indices.struct_size = (uint32_t)sizeof indices;
  indices.memory = memory;
  indices.data = data;
  indices.size = size;
  return indices;
}
static inline carbo_index_room carbo_index_room_of(int64_t* data, carbo_memory memory, int64_t size) {
  carbo_index_room room;
  room.struct_size = (uint32_t)sizeof room;
  room.memory = memory;
  room.data = data;
  room.size = size;
  return room;
}

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */
#endif
