// The only file that includes httplib, which takes long to compile.
#include "program/live/live.hpp"

#include <atomic>

#include <fmt/format.h>
#include <carbo/error.hpp>

#ifdef CARBO_PROGRAM_HTTP
#include <httplib.h>

#include "program/commands/error_names.hpp"
#include "program/evaluation/signals.hpp"
#include "program/live/guard.hpp"
#include "program/live/source.hpp"
#include "program/report/page.hpp"
#endif

namespace carbo::program {

#ifndef CARBO_PROGRAM_HTTP

Exit serve_page(Terminal&, const LiveArguments&) {
  throw Error(
      "this build has no live page: cpp-httplib was not found when it was made; carbo report writes the page as "
      "a file");
}

#else

namespace {

constexpr std::size_t longest_request = 64u << 10;  ///< bytes of a body
constexpr int most_viewers = 16;                    ///< that are told of changes at a time
constexpr std::chrono::seconds heartbeat{10};

std::string cookie_of(const std::string& header, const std::string& name) {
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t end = std::min(header.find(';', at), header.size());
    std::string_view pair = std::string_view(header).substr(at, end - at);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.starts_with(name + "=")) return std::string(pair.substr(name.size() + 1));
    at = end + 1;
  }
  return {};
}

Request request_of(const httplib::Request& from) {
  Request request{from.method, from.get_header_value("Host"), std::nullopt,
                  "",          from.get_param_value("token"), cookie_of(from.get_header_value("Cookie"), "carbo")};
  if (from.has_header("Origin")) request.origin = from.get_header_value("Origin");
  const std::string authorization = from.get_header_value("Authorization");
  if (authorization.starts_with("Bearer ")) request.bearer = authorization.substr(7);
  return request;
}

class LivePage {
 public:
  LivePage(LiveSource& source, const Guard& guard) : source_(source), guard_(guard) {
    server_.set_payload_max_length(longest_request);
    // Not those of the library, with which two servers could share a port.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_read_timeout(5);
    server_.set_write_timeout(10);
    server_.set_keep_alive_max_count(100);
    server_.new_task_queue = [] { return new httplib::ThreadPool(most_viewers + 8); };
    server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cache-Control", "no-store"}});
    server_.set_exception_handler([](const auto&, httplib::Response& response, std::exception_ptr error) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& why) {
        refuse(response, exit_of(why) == Exit::refused ? 422 : 503, why.what());
      }
    });
    route();
  }

  httplib::Server& server() { return server_; }

 private:
  static void refuse(httplib::Response& response, int status, const std::string& why) {
    response.status = status;
    response.set_content(json_line({{"error", why}}) + "\n", "application/json");
  }

  Json current() {
    Json data = source_.data();
    data["control"] = guard_.control();
    return data;
  }

  template <class Answer>
  auto reading(Answer answer) {
    return [this, answer](const httplib::Request& request, httplib::Response& response) {
      const std::string refusal = guard_.refusal_to_read(request_of(request));
      if (!refusal.empty()) return refuse(response, 403, refusal);
      answer(request, response);
    };
  }

  template <class Change>
  void changing(const char* path, Change change) {
    server_.Post(path, [this, change](const httplib::Request& request, httplib::Response& response) {
      const std::string refusal = guard_.refusal_to_change(request_of(request));
      if (!refusal.empty()) return refuse(response, 403, refusal);
      change(request.body);
      response.set_content(source_.summary() + "\n", "application/json");
    });
  }

  void route() {
    server_.Get("/", reading([this](const httplib::Request& request, httplib::Response& response) {
                  const Json data = current();
                  if (guard_.needs_token_to_read() && request.has_param("token"))
                    response.set_header("Set-Cookie",
                                        "carbo=" + guard_.token() + "; HttpOnly; SameSite=Strict; Path=/");
                  response.set_content(page_html(data["studies"][0]["summary"]["name"].get<std::string>(), data),
                                       "text/html; charset=utf-8");
                }));
    server_.Get("/data", reading([this](const httplib::Request&, httplib::Response& response) {
                  response.set_content(json_line(current()), "application/json");
                }));
    server_.Get("/events",
                reading([this](const httplib::Request&, httplib::Response& response) { stream(response); }));
    changing("/enqueue", [this](const std::string& body) { source_.enqueue(parse_json(body, "the configuration")); });
    changing("/budget", [this](const std::string& body) { source_.change_budget(parse_json(body, "the budget")); });
    changing("/pause", [this](const std::string&) { source_.pause(); });
    changing("/resume", [this](const std::string&) { source_.resume(); });
  }

  /// Server-sent events until the viewer goes or the server ends.
  void stream(httplib::Response& response) {
    if (viewers_.fetch_add(1) >= most_viewers) {
      --viewers_;
      return refuse(response, 503, fmt::format("{} viewers are told of changes already", most_viewers));
    }
    auto seen = std::make_shared<std::uint64_t>(0);
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, seen](std::size_t, httplib::DataSink& sink) {
          if (!server_.is_running()) return false;
          const LiveSource::News news = source_.wait(*seen, heartbeat);
          const std::string text = news.version == *seen
                                       ? ": still there\n\n"
                                       : fmt::format("event: {}\ndata: {}\n\n", news.event, news.text);
          *seen = news.version;
          return sink.write(text.data(), text.size());
        },
        [this](bool) { --viewers_; });
  }

  LiveSource& source_;
  const Guard& guard_;
  httplib::Server server_;
  std::atomic<int> viewers_ = 0;
};

}  // namespace

Exit serve_page(Terminal& terminal, const LiveArguments& arguments) {
  const Signals signals;
  LiveSource source(arguments.which);
  const bool wide = !is_loopback(arguments.address);
  const bool needs_token = wide || arguments.control;
  if (!arguments.token.empty() && arguments.token.size() < 16)
    throw InvalidOptions("--token is shorter than 16 characters; leave it out and one is drawn");
  const std::string token = !needs_token ? "" : arguments.token.empty() ? drawn_token() : arguments.token;

  const int port = *arguments.port;
  Guard guard(arguments.address, port, token, arguments.control);
  LivePage page(source, guard);
  int bound = port;
  if (port == 0)
    bound = page.server().bind_to_any_port(arguments.address);
  else if (!page.server().bind_to_port(arguments.address, port))
    bound = -1;
  if (bound <= 0)
    throw Error(fmt::format("port {} of {} cannot be used; another program may have it: --port 0 takes a free one",
                            port, arguments.address));
  guard = Guard(arguments.address, bound, token, arguments.control);
  terminal.out << fmt::format("http://{}:{}/{}\n", arguments.address, bound, needs_token ? "?token=" + token : "")
               << std::flush;
  const std::stop_callback end(signals.drain(), [&] {
    source.stop();
    page.server().stop();
  });
  page.server().listen_after_bind();
  source.stop();
  return Exit::success;
}

#endif

}  // namespace carbo::program
