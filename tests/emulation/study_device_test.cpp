#include <carbo/cuda.hpp>

#include "emulator_control.hpp"
#include "support/cuda_study.hpp"
#include "support/selector_scene.hpp"

// Why a study cannot run on a device, and what becomes of it when the device fails.
namespace carbo {
namespace {

/// Devices that cannot be used, as far as the emulator can play them.
TEST_F(CudaStudy, WhereNoDeviceCanBeUsedTheReasonIsNamed) {
  const auto expect_reason = [&](const std::string& reason) {
    expect_error<BackendUnavailable>([&] { make({}, BackendKind::cuda); }, {reason});
    const Receipt receipt = make({}, BackendKind::automatic).ask(1).at(0).receipt;
    EXPECT_EQ(receipt.backend, "cpu");
    EXPECT_NE(receipt.backend_reason.find(reason), std::string::npos) << receipt.backend_reason;
  };
  emulator_set("EMULATOR_DEVICES", "0");
  expect_reason("no CUDA device was found");
  emulator_set("EMULATOR_DEVICES", nullptr);
  emulator_set("EMULATOR_CAPABILITY", "7.0");
  expect_reason("too old");
  emulator_set("EMULATOR_CAPABILITY", nullptr);
  Study study;
  study.options.backend.device = 5;
  expect_error<BackendUnavailable>([&] { make(study, BackendKind::cuda); }, {"backend.device is 5"});
  study.options.backend.device = 1;
  EXPECT_NE(make(study, BackendKind::cuda).ask(1).at(0).receipt.backend_reason.find("device 1"), std::string::npos);
}

TEST(CudaSelectorMaking, WhatCannotBeUsedIsNamed) {
  using test::SelectorScene;
  expect_error<BackendUnavailable>([] { cuda::make_selector(SelectorScene::options(), {.device = 5}); },
                                   {"device is 5"});
  const emulator::Setting none("EMULATOR_DEVICES", "0");
  expect_error<BackendUnavailable>([] { cuda::make_selector(SelectorScene::options()); },
                                   {"no CUDA device was found"});
}

std::string names(const std::vector<Suggestion>& suggestions) {
  std::string names;
  for (const Suggestion& one : suggestions) names += one.configuration.to_string() + "; ";
  return names;
}

/// Whether nothing works on the device any more after an error with this message.
bool lost(const std::string& message) { return message.find("cannot be used again") != std::string::npos; }

class CudaStudyFailure : public CudaStudy, public testing::WithParamInterface<bool> {
 protected:
  /// Five results told; small, because the calls of an `ask` fail in turn.
  Optimizer prepared() const {
    Study study;
    study.options.candidates.count = 40;
    study.options.fantasies.count = 2;
    study.options.surrogate.restarts = study.options.cost.surrogate.restarts = 1;
    if (!learns_)
      study.options.surrogate.fixed = study.options.cost.surrogate.fixed = Hyperparameters{{0.4, 0.4}, 1.0, 1e-3, {}};
    study.options.initial_design = InitialDesign::uniform;
    study.options.design.warm_start = 5;
    Optimizer optimizer = make(study, BackendKind::cuda);
    for (const Suggestion& one : optimizer.ask(5)) optimizer.tell(one.id, valley(one.configuration));
    return optimizer;
  }

  /// Asks for two while the k-th call fails, and again where that threw; false where there is no k-th call.
  bool ask_with_fault(std::size_t k, const std::string& expected, std::size_t& failed) const {
    SCOPED_TRACE(testing::Message() << "call " << k);
    Optimizer optimizer = prepared();
    emulator_set_fault(("*:" + std::to_string(k)).c_str());
    std::string found, message;
    try {
      found = names(optimizer.ask(2));
    } catch (const Error& error) {
      message = error.what();
      ++failed;
    }
    const bool reached = emulator_fault_reached() != 0;
    emulator_set_fault(nullptr);
    EXPECT_EQ(optimizer.observations().size(), 5u);
    if (lost(message)) {
      EXPECT_THROW(optimizer.ask(2), DeviceError);
      return reached;
    }
    if (!message.empty()) found = names(optimizer.ask(2));
    if (message.empty() || !learns_) {
      EXPECT_EQ(found, expected) << "after: " << message;
    } else {
      EXPECT_EQ(std::count(found.begin(), found.end(), ';'), 2) << "after: " << message;
    }
    return reached;
  }

  const bool learns_ = GetParam();
};

/// An `ask` that fails on the device changes nothing: asked again, it suggests what it would have. Where
/// hyperparameters are learned, it may suggest something else, because the next fit starts where the last one got to.
TEST_P(CudaStudyFailure, AnAskThatFailedCanBeAskedAgain) {
  const std::string expected = names(prepared().ask(2));
  std::size_t failed = 0;
  for (std::size_t k = 1; ask_with_fault(k, expected, failed) && !HasFailure(); k += 1 + k / 4) continue;
  EXPECT_GT(failed, 10u);
}

INSTANTIATE_TEST_SUITE_P(Models, CudaStudyFailure, testing::Bool(),
                         [](const auto& info) { return info.param ? std::string("Learned") : std::string("Fixed"); });

}  // namespace
}  // namespace carbo
