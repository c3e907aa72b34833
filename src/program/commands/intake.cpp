#include "program/commands/intake.hpp"

#include <ostream>

#include <fmt/format.h>

#include <carbo/error.hpp>

namespace carbo::program {

void Intake::take(const std::string& name, const std::function<bool()>& record) {
  try {
    if (record()) ++taken_;
  } catch (const StorageError&) {
    throw;
  } catch (const StudyBusy&) {
    throw;
  } catch (const Error& error) {
    ++refused_;
    const std::string_view message = error.what();
    terminal_.err << "carbo: " << (message.starts_with(name) ? "" : printable(name) + ": ") << message << "\n";
  }
}

Exit Intake::end() const {
  if (terminal_.json)
    terminal_.out << fmt::format("{{\"taken\":{},\"refused\":{}}}\n", taken_, refused_);
  else if (!terminal_.quiet)
    terminal_.out << fmt::format("{} taken, {} refused\n", taken_, refused_);
  return refused_ == 0 ? Exit::success : Exit::refused;
}

}  // namespace carbo::program
