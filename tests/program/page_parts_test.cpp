#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "program/live/guard.hpp"
#include "program/report/page.hpp"
#include "program/report/page_data.hpp"
#include "program/scripts.hpp"

namespace carbo::program {
namespace {

TEST(Page, TextsCannotLeaveTheirPlace) {
  EXPECT_EQ(html_escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  const std::string evil = "</script><script>alert(1)</script><!-- & \xe2\x80\xa8";
  const Json data{{"kind", "report"}, {"text", evil}};
  const std::string text = script_json(data);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(Json::parse(text)["text"], evil);
  const std::string page = page_html(evil, data);
  EXPECT_EQ(page.find(evil), std::string::npos);
  for (const char* const part : {"{{title}}", "{{style}}", "{{data}}", "{{script}}"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST(Page, NeedsNothingFromElsewhere) {
  const std::string page = page_html("study", Json::object());
  for (const char* const outside : {"src=", "href=\"http", "@import", "url(", "innerHTML", "eval("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

std::vector<Trial> trials_of(const Space& space, std::size_t count) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < count; ++i) {
    Trial trial;
    trial.number = trial.id.emplace(i);
    trial.sequence = i;
    trial.state = i % 7 == 3 ? TrialState::failed : TrialState::succeeded;
    trial.configuration = space.configuration(std::vector<double>{static_cast<double>(i % 101) / 100});
    if (trial.state == TrialState::succeeded) trial.objective = std::fmod(static_cast<double>(i) * 37.0, 1009.0);
    trial.cost = 1 + std::fmod(static_cast<double>(i) * 11.0, 97.0);
    trials.push_back(std::move(trial));
  }
  return trials;
}

TEST(Page, AChoiceOfTrialsKeepsWhatCounts) {
  const Space space{real("x", 0, 1)};
  for (const Goal goal : {Goal::minimize, Goal::maximize})
    for (const std::size_t count : {0u, 1u, 99u, 100u, 101u, 5000u}) {
      const std::vector<Trial> trials = trials_of(space, count);
      const std::vector<std::size_t> shown = shown_trials(trials, goal, 100);
      EXPECT_EQ(shown.size(), std::min<std::size_t>(count, 100));
      EXPECT_TRUE(std::ranges::is_sorted(shown));
      EXPECT_EQ(std::ranges::adjacent_find(shown), shown.end());
      if (count == 0) continue;
      const auto value = [&](std::size_t i) {
        if (!trials[i].objective) return std::numeric_limits<double>::infinity();
        return goal == Goal::minimize ? *trials[i].objective : -*trials[i].objective;
      };
      std::size_t best = 0;
      for (std::size_t i = 0; i < count; ++i)
        if (value(i) < value(best)) best = i;
      EXPECT_TRUE(std::ranges::binary_search(shown, best)) << count;
      EXPECT_TRUE(std::ranges::binary_search(shown, count - 1));
    }
  EXPECT_TRUE(shown_trials(trials_of(space, 10), Goal::minimize, 0).empty());
}

TEST(Page, ModelsLearnFromTheBestAndFromAnEvenShare) {
  const Space space{real("x", 0, 1)};
  for (const Goal goal : {Goal::minimize, Goal::maximize})
    for (const std::size_t count : {0u, 1u, 40u, 41u, 3000u}) {
      const std::vector<Trial> trials = trials_of(space, count);
      const std::vector<std::size_t> chosen = modelled_trials(trials, goal, 40);
      ASSERT_EQ(chosen.size(), std::min<std::size_t>(count, 40));
      EXPECT_TRUE(std::ranges::is_sorted(chosen));
      EXPECT_EQ(std::ranges::adjacent_find(chosen), chosen.end());
      if (count < 3000) continue;
      std::vector<double> values;
      for (const Trial& trial : trials)
        if (trial.objective) values.push_back(goal == Goal::minimize ? *trial.objective : -*trial.objective);
      std::ranges::sort(values);
      std::size_t good = 0, widest = 0;
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const auto& objective = trials[chosen[k]].objective;
        if (objective && (goal == Goal::minimize ? *objective : -*objective) <= values[9]) ++good;
        widest = std::max(widest, k == 0 ? chosen[0] : chosen[k] - chosen[k - 1]);
      }
      EXPECT_GE(good, 10u);
      EXPECT_LE(widest, 2 * 3000u / 30);
    }
}

TEST(Page, ACopyOfAPartIsAsFarAsTheStudy) {
  const testing::Folder folder;
  const Space space{real("x", 0, 1)};
  Options options;
  options.budget = 400;
  options.max_evaluations = 100;
  OpenedStudy opened{std::nullopt, Study::open(folder / "a.db", "s", space, options), ""};
  for (int i = 0; i < 60; ++i) {
    Observation seen;
    seen.configuration = space.configuration(std::vector<double>{i / 60.0});
    seen.objective = std::cos(i);
    seen.cost = 1 + i % 5;
    opened.study.tell(seen);
  }
  opened.study.enqueue(space.configuration(std::vector<double>{0.125}));
  const std::vector<Trial> trials = opened.study.trials();
  ModelCopy whole = copy_to_ask(opened, trials, 60);
  EXPECT_EQ(whole.used, 60u);
  EXPECT_EQ(whole.optimizer.observations().size(), 60u);
  ModelCopy part = copy_to_ask(opened, trials, 20);
  EXPECT_EQ(part.used, 20u);
  EXPECT_EQ(part.known, 60u);
  EXPECT_EQ(part.optimizer.observations().size(), 20u);
  EXPECT_NEAR(part.optimizer.spent() / part.optimizer.options().budget, opened.study.spent() / 400, 1e-12);
  EXPECT_EQ(part.optimizer.options().max_evaluations, 60u);  // 40 are left
  EXPECT_EQ(part.optimizer.ask(1).front().configuration.real("x"), 0.125);
  EXPECT_EQ(opened.study.trials().size(), 60u);
}

TEST(Page, TotalsAreOfAllTrials) {
  const Space space{real("x", 0, 1)};
  const std::vector<Trial> trials = trials_of(space, 500);
  double lost = 0, kept = 0, best = std::numeric_limits<double>::infinity();
  std::size_t improvements = 0;
  for (const Trial& trial : trials) {
    (trial.state == TrialState::failed ? lost : kept) += *trial.cost;
    if (trial.objective && *trial.objective < best) {
      best = *trial.objective;
      ++improvements;
    }
  }
  const Json shares = cost_shares(trials);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_DOUBLE_EQ(shares[0]["cost"].get<double>(), lost);
  EXPECT_DOUBLE_EQ(shares[1]["cost"].get<double>(), kept);
  const Json steps = best_steps(trials, Goal::minimize, 1000);
  EXPECT_EQ(steps["steps"].size(), improvements);
  EXPECT_EQ(steps["steps"].back()[1].get<double>(), best);
  EXPECT_DOUBLE_EQ(steps["end"][0].get<double>(), lost + kept);
  EXPECT_EQ(steps["end"][1].get<std::size_t>(), trials.size());
}

TEST(Guard, ReadsOnThisMachineAlone) {
  const Guard guard("127.0.0.1", 8080, "", false);
  Request request{"GET", "127.0.0.1:8080", std::nullopt, "", "", ""};
  EXPECT_EQ(guard.refusal_to_read(request), "");
  for (const char* const host : {"localhost:8080", "[::1]:8080"}) {
    request.host = host;
    EXPECT_EQ(guard.refusal_to_read(request), "");
  }
  for (const char* const host :
       {"", "127.0.0.1", "127.0.0.1:80", "evil.example:8080", "127.0.0.1:8080.evil.example"}) {
    request.host = host;
    EXPECT_NE(guard.refusal_to_read(request), "") << host;
  }
  request.host = "localhost:8080";
  for (const char* const origin : {"null", "http://evil.example", "http://localhost:8081", ""}) {
    request.origin = origin;
    EXPECT_NE(guard.refusal_to_read(request), "") << origin;
  }
}

TEST(Guard, ChangesNeedControlAndTheTokenInItsHeader) {
  const std::string token = drawn_token();
  EXPECT_EQ(token.size(), 32u);
  EXPECT_NE(token, drawn_token());
  const Request plain{"POST", "localhost:1", std::nullopt, "", token, token};
  Request right = plain, wrong = plain;
  right.bearer = token;
  wrong.bearer = token.substr(0, 31);
  EXPECT_NE(Guard("localhost", 1, token, false).refusal_to_change(right), "");
  const Guard guard("localhost", 1, token, true);
  EXPECT_EQ(guard.refusal_to_change(right), "");
  EXPECT_NE(guard.refusal_to_change(plain), "");
  EXPECT_NE(guard.refusal_to_change(wrong), "");
  EXPECT_NE(Guard("localhost", 1, "", true).refusal_to_change(plain), "");
}

TEST(Guard, OtherMachinesNeedTheToken) {
  const Guard guard("0.0.0.0", 1, "0123456789abcdef", false);
  Request request{"GET", "host.example:1", std::nullopt, "", "", ""};
  EXPECT_NE(guard.refusal_to_read(request), "");
  for (std::string Request::*const place : {&Request::bearer, &Request::query_token, &Request::cookie_token}) {
    Request with = request;
    with.*place = "0123456789abcdef";
    EXPECT_EQ(guard.refusal_to_read(with), "");
    with.*place = "0123456789abcdeF";
    EXPECT_NE(guard.refusal_to_read(with), "");
  }
}

}  // namespace
}  // namespace carbo::program
