#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carbo::program {

/// What of a request decides whether it is answered.
struct Request {
  std::string method, host;
  std::optional<std::string> origin;
  std::string bearer;  ///< of the Authorization header
  std::string query_token, cookie_token;
};

/// Who may read and who may change. Nothing is said to a page of another origin, nor to a name that leads here by a
/// trick of DNS: on loopback the Host must be this machine's.
class Guard {
 public:
  /// `token`: empty where reading needs none.
  Guard(const std::string& address, int port, std::string token, bool control);

  /// Why it is refused; empty: it is not.
  std::string refusal_to_read(const Request& request) const;
  /// A change needs `--control`, and the token in the Authorization header, which no other page can make a browser
  /// send.
  std::string refusal_to_change(const Request& request) const;
  bool needs_token_to_read() const { return !loopback_; }
  bool control() const { return control_; }
  const std::string& token() const { return token_; }

 private:
  std::string wrong_place(const Request& request) const;
  bool is_token(std::string_view given) const;

  int port_;
  std::string token_;
  bool control_, loopback_;
};

bool is_loopback(std::string_view address);
/// 128 random bits in hexadecimal digits.
std::string drawn_token();

}  // namespace carbo::program
