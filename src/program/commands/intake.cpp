#include "program/commands/intake.hpp"

#include <ostream>

#include <fmt/format.h>

#include <carbo/error.hpp>

namespace carbo::program {

bool Intake::take(const std::string& name, const std::function<void()>& record) {
  try {
    record();
  } catch (const StorageError&) {
    throw;
  } catch (const StudyBusy&) {
    throw;
  } catch (const Error& error) {
    ++refused_;
    const std::string_view message = error.what();
    terminal_.err << "carbo: " << (message.starts_with(name) ? "" : printable(name) + ": ") << message << "\n";
    return false;
  }
  ++taken_;
  return true;
}

Exit Intake::end() const {
  if (terminal_.json)
    terminal_.out << fmt::format("{{\"taken\":{},\"refused\":{}}}\n", taken_, refused_);
  else if (!terminal_.quiet)
    terminal_.out << fmt::format("{} taken, {} refused\n", taken_, refused_);
  return refused_ == 0 ? Exit::success : Exit::refused;
}

}  // namespace carbo::program
