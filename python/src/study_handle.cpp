#include "study_handle.hpp"

#include <unistd.h>

#include <carbo/error.hpp>

#include "module.hpp"
#include "support/text.hpp"

namespace carbo::python {

StudyHandle::StudyHandle(Optimizer optimizer)
    : held_(new Held{std::move(optimizer)}), has_file_(false), process_(getpid()) {}

StudyHandle::StudyHandle(carbo::Study study)
    : held_(new Held{std::move(study)}), has_file_(true), process_(getpid()) {}

StudyHandle::~StudyHandle() {
  // After a fork the threads that it would wait for are the other process's, and so is its connection.
  if (process_ != getpid()) static_cast<void>(held_.release());
  if (!held_) return;
  const nb::gil_scoped_release free;
  held_.reset();
}

std::unique_lock<std::mutex> StudyHandle::take_turn() {
  if (process_ != getpid())
    throw OtherProcess(internal::text("this study was made in process ", process_, " and is used in its child ",
                                      getpid(), "; pickle it, or open its file again, and use that here"));
  if (!held_) throw StorageError("this study was closed; open its file again");
  if (!inside_callable()) return std::unique_lock(held_->turn);
  std::unique_lock turn(held_->turn, std::try_to_lock);
  if (!turn)
    throw ConcurrentCall("a constraint or a cost function calls the study that is calling it; "
                         "it may look at its argument alone");
  return turn;
}

carbo::Study& StudyHandle::file_study(const char* what) {
  if (auto* const study = std::get_if<carbo::Study>(&held_->engine)) return *study;
  throw InvalidOptions(internal::text(what, " needs a study on a file; this one is in memory (give it file=...)"));
}

void StudyHandle::close() {
  const nb::gil_scoped_release free;
  {
    const std::unique_lock turn = take_turn();
  }
  held_.reset();
}

}  // namespace carbo::python
