#pragma once

#include <optional>
#include <string_view>

#include <carbo/carbo.h>
#include <carbo/options.hpp>
#include <carbo/restore.hpp>
#include <carbo/selector.hpp>

namespace carbo::internal::c {

/// Structs of the C face as those of the C++ face. A null pointer is refused by name; where it stands for no array,
/// an array without elements is refused. A struct_size that is not known, an enumerator that does not exist and a
/// size below 0 are refused.

/// Throws CARBO_STRUCT_VERSION.
void require_struct_size(uint64_t given, uint64_t known, const char* name);

Space optimizer_space(const carbo_optimizer_options* options);
/// Once the space was made of them, which checks the struct.
Options optimizer_options(const carbo_optimizer_options& options, const Space& space);
carbo_optimizer_options default_optimizer_options();
/// Null stands for the defaults. `state`: the text that is restored, which has the parameters of a pool.
RestoreOptions restore_options(const carbo_restore_options* options, std::string_view state);
/// NaN stands for none.
std::optional<double> number_or_none(double given);

SelectorOptions selector_options(const carbo_selector_options* options);
DeviceResources device_resources(const carbo_selector_options& options);
PickRequest pick_request(const carbo_pick_request* request);
/// For a call that does not look at the count.
PickRequest request_without_count(const carbo_pick_request* request);

MatrixRef matrix(const carbo_matrix* matrix, const char* name);
VectorRef vector(const carbo_vector* vector, const char* name);
VectorRef vector_or_none(const carbo_vector* vector, const char* name);
IndexRef indices(const carbo_indices* indices, const char* name);
MutableVectorRef vector_room(const carbo_vector_room* room, const char* name);
MutableVectorRef vector_room_or_none(const carbo_vector_room* room, const char* name);
MutableIndexRef index_room(const carbo_index_room* room, const char* name);

}  // namespace carbo::internal::c
