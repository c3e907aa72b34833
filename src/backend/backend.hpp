#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include <carbo/array.hpp>
#include <carbo/options.hpp>

#include "backend/candidate_backend.hpp"
#include "backend/device_access.hpp"
#include "backend/field_backend.hpp"
#include "backend/footprint.hpp"
#include "backend/gp_backend.hpp"
#include "backend/posterior_backend.hpp"
#include "backend/proof_backend.hpp"
#include "backend/race_backend.hpp"
#include "backend/score_backend.hpp"
#include "backend/search_backend.hpp"

namespace carbo::internal {

/// What the host's work may take. Never changes a result.
struct WorkLimits {
  std::size_t threads = std::numeric_limits<std::size_t>::max();    ///< that work at once
  std::size_t fit_bytes = std::numeric_limits<std::size_t>::max();  ///< matrices of likelihoods computed at once
};

/// The large operations that algorithms are made of, as one object: algorithms take the parts that they need. One
/// call is one pass over Ω̃ or one batch of matrices; what returns to the host is a few bytes. Results do not depend
/// on threads or tiles.
class Backend : public GpBackend,
                public CandidateBackend,
                public FieldBackend,
                public PosteriorBackend,
                public ScoreBackend,
                public SearchBackend,
                public RaceBackend,
                public ProofBackend {
 public:
  virtual std::string name() const = 0;
  /// Whether the caller may prepare what comes next while the backend works on what it was given.
  virtual bool asynchronous() const = 0;
  virtual const Footprint& footprint() const = 0;
  /// Null where the backend runs on the host.
  virtual DeviceAccess* device_access() { return nullptr; }
  /// For calls from now on; nothing that a call returned may be at work. Without effect on a device, whose memory
  /// counts what it gives out itself.
  virtual void limit_work(const WorkLimits&) {}
};

/// What came of BackendOptions.
struct BackendChoice {
  std::string reason;            ///< the backend's name and why it runs: "cpu v3: asked for"
  bool on_device = false;        ///< candidates and models live in a device's memory, which `memory_bytes` counts
  std::size_t memory_bytes = 0;  ///< as given, or half of what was free
  std::string machine{};         ///< what runs it, which decides the last bits: "cpu v3", "cuda: " and the device
};

/// Throws InvalidOptions, and BackendUnavailable where the kind that was asked for cannot run here. `choice` may be
/// null. `resources` are for a backend on a device.
std::unique_ptr<Backend> make_backend(const BackendOptions& options, BackendChoice* choice = nullptr,
                                      const DeviceResources& resources = {});

}  // namespace carbo::internal
