#include "program/live/guard.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace carbo::program {

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

std::string drawn_token() {
  std::random_device source;
  std::string token;
  for (int i = 0; i < 4; ++i) {
    unsigned bits = source();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) token += "0123456789abcdef"[bits & 15u];
  }
  return token;
}

Guard::Guard(const std::string& address, int port, std::string token, bool control)
    : port_(port), token_(std::move(token)), control_(control), loopback_(is_loopback(address)) {}

bool Guard::is_token(std::string_view given) const {
  // In the same time wherever they differ.
  unsigned differs = given.size() == token_.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(given.size(), token_.size()); ++i)
    differs |= static_cast<unsigned>(given[i] ^ token_[i]);
  return !token_.empty() && differs == 0;
}

std::string Guard::wrong_place(const Request& request) const {
  if (loopback_) {
    const std::string port = ":" + std::to_string(port_);
    const std::array<std::string, 3> own{"127.0.0.1" + port, "localhost" + port, "[::1]" + port};
    if (std::ranges::find(own, request.host) == own.end()) return "the Host of the request is not this machine's";
  }
  if (request.origin && *request.origin != "http://" + request.host && *request.origin != "https://" + request.host)
    return "the request comes from a page of another origin";
  return {};
}

std::string Guard::refusal_to_read(const Request& request) const {
  if (std::string wrong = wrong_place(request); !wrong.empty()) return wrong;
  if (!needs_token_to_read()) return {};
  const bool known = is_token(request.bearer) || is_token(request.query_token) || is_token(request.cookie_token);
  return known ? "" : "the token is missing or wrong; open the address that carbo serve printed";
}

std::string Guard::refusal_to_change(const Request& request) const {
  if (std::string wrong = wrong_place(request); !wrong.empty()) return wrong;
  if (!control_) return "this page is read-only; carbo serve --control would take changes";
  return is_token(request.bearer) ? "" : "a change needs the token in the header Authorization: Bearer TOKEN";
}

}  // namespace carbo::program
