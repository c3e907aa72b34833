#include <memory>
#include <string>
#include <vector>

#include <carbo/error.hpp>

#include "c/convert.hpp"
#include "c/convert_parts.hpp"
#include "c/status.hpp"

namespace carbo::internal::c {
namespace {

/// Quantities of a shape that is called `field`.
class ShapeReader {
 public:
  ShapeReader(std::string field, std::size_t pool_rows) : field_(std::move(field)), pool_rows_(pool_rows) {}

  std::optional<Quantity> optional(const carbo_quantity& given, const char* name) const {
    return quantity(given, pool_rows_, text(field_, ".", name));
  }
  Quantity one(const carbo_quantity& given, const std::string& name) const {
    std::optional<Quantity> value = optional(given, name.c_str());
    if (!value)
      throw InvalidOptions(text(field_, ".", name, " is empty; give an expression, a function or a column"));
    return *std::move(value);
  }
  std::vector<Quantity> all(const carbo_quantity* given, int64_t size, const char* name,
                            const char* size_name) const {
    std::vector<Quantity> values;
    for (const carbo_quantity& element :
         elements(given, size, text(field_, ".", name).c_str(), text(field_, ".", size_name).c_str()))
      values.push_back(one(element, text(name, "[", values.size(), "]")));
    return values;
  }

 private:
  std::string field_;
  std::size_t pool_rows_;
};

void append(std::vector<CostFeature>& features, std::vector<CostFeature>&& more) {
  for (CostFeature& feature : more) features.push_back(std::move(feature));
}

}  // namespace

void append_network_features(const carbo_cost_options& given, std::size_t pool_rows,
                             std::vector<CostFeature>& features) {
  if (const carbo_mlp_shape* const mlp = given.mlp) {
    require_struct_size(mlp->struct_size, sizeof *mlp, "cost.mlp");
    const ShapeReader reader("cost.mlp", pool_rows);
    MlpShape shape;
    shape.layers = reader.all(mlp->layers, mlp->layer_count, "layers", "layer_count");
    shape.epochs = reader.optional(mlp->epochs, "epochs").value_or(1);
    shape.batch_size = reader.optional(mlp->batch_size, "batch_size");
    append(features, mlp_features(shape));
  }
  if (const carbo_cnn_shape* const cnn = given.cnn) {
    require_struct_size(cnn->struct_size, sizeof *cnn, "cost.cnn");
    const ShapeReader reader("cost.cnn", pool_rows);
    const int64_t convolutions = cnn->channel_count;
    CnnShape shape{.image_size = reader.one(cnn->image_size, "image_size"),
                   .colours = reader.optional(cnn->colours, "colours").value_or(1),
                   .kernel_size = reader.one(cnn->kernel_size, "kernel_size"),
                   .channels = reader.all(cnn->channels, convolutions, "channels", "channel_count"),
                   .dense = reader.all(cnn->dense, cnn->dense_count, "dense", "dense_count"),
                   .epochs = reader.optional(cnn->epochs, "epochs").value_or(1),
                   .batch_size = reader.optional(cnn->batch_size, "batch_size")};
    if (cnn->pooling != nullptr) shape.pooling = reader.all(cnn->pooling, convolutions, "pooling", "channel_count");
    append(features, cnn_features(shape));
  }
}

}  // namespace carbo::internal::c
