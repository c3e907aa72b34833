#include <algorithm>

#include <carbo/error.hpp>
#include <carbo/study.hpp>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_problems.hpp"

namespace carbo {
namespace {

using test::small_options;
using test::TemporaryFolder;
using test::valley;
using test::valley_space;

/// Two holders of one study, with a clock that the test sets.
class StudyLease : public ::testing::Test {
 protected:
  Study open(const std::string& owner, LostPoint lost = LostPoint::hand_out) {
    StudyOptions how;
    how.owner = owner;
    how.lost = lost;
    how.lease = std::chrono::seconds(60);
    how.clock = [this] { return clock; };
    Options options = small_options(1000);
    options.batch_size = 4;
    return Study::open(folder / "a.db", "valley", valley_space(), options, how);
  }

  TemporaryFolder folder;
  double clock = 5000;
};

std::vector<std::uint64_t> ids_of(const std::vector<Suggestion>& suggestions) {
  std::vector<std::uint64_t> ids;
  for (const Suggestion& one : suggestions) ids.push_back(one.id);
  return ids;
}

using Ids = std::vector<std::uint64_t>;

TEST_F(StudyLease, APointWhoseLeaseEndedIsHandedOutUnderItsId) {
  Study first = open("first");
  Study second = open("second");
  const auto asked = first.ask(2);
  clock = 5059.9;
  EXPECT_EQ(ids_of(second.ask(2)), (Ids{2, 3}));
  clock = 5060;
  const auto again = second.ask(4);
  ASSERT_EQ(ids_of(again), (Ids{0, 1}));
  EXPECT_EQ(again[1].configuration, asked[1].configuration);
  EXPECT_EQ(again[1].receipt.backend, asked[1].receipt.backend);
  EXPECT_EQ(second.trial(0)->owner, "second");
  EXPECT_EQ(second.trial(0)->handed_out, 2u);
  EXPECT_EQ(second.trial(0)->lease_end, 5120);
  expect_error<UnknownSuggestion>([&] { first.renew(Ids{0, 1}); }, {"0, 1", "first"});
  first.tell(0, valley(asked[0].configuration));  // it ran on, and is the first to tell
  expect_error<UnknownSuggestion>([&] { second.tell(0, {1, 1}); }, {"succeeded"});
}

TEST_F(StudyLease, RenewedInTimeItStays) {
  Study first = open("first");
  Study second = open("second");
  first.ask(2);
  clock = 5050;
  first.renew(Ids{0});
  clock = 5100;
  EXPECT_EQ(ids_of(second.ask(4)), (Ids{1}));
  expect_error<UnknownSuggestion>([&] { first.renew(Ids{0, 1, 9}); }, {"1, 9"});
  EXPECT_EQ(first.trial(0)->lease_end, 5160);
}

TEST_F(StudyLease, ReleasedItIsHandedOutAtOnce) {
  Study first = open("first");
  Study second = open("second");
  first.ask(3);
  expect_error<UnknownSuggestion>([&] { second.release(Ids{0, 5}); }, {"5"});
  EXPECT_EQ(ids_of(second.ask(1)), (Ids{3}));
  second.release(Ids{0, 2});
  EXPECT_EQ(ids_of(second.ask(1)), (Ids{0}));
  EXPECT_EQ(ids_of(second.ask(1)), (Ids{2}));
}

TEST_F(StudyLease, ALostPointIsChargedWhereThatWasChosen) {
  Study first = open("first", LostPoint::charge);
  for (int i = 0; i < 3; ++i)
    for (const Suggestion& one : first.ask(4)) first.tell(one.id, valley(one.configuration));
  const auto lost = first.ask(2);
  ASSERT_TRUE(lost[0].receipt.predicted_cost);
  clock = 6000;
  EXPECT_EQ(ids_of(first.ask(1)), (Ids{14}));
  EXPECT_EQ(first.trial(12)->state, TrialState::failed);
  EXPECT_EQ(first.trial(12)->cost, *lost[0].receipt.predicted_cost);
  EXPECT_NE(first.trial(13)->reason.find("lease ended"), std::string::npos);
  EXPECT_EQ(first.summary().failed, 2u);
}

TEST_F(StudyLease, APointThatIsRenewedIsNotCharged) {
  Study first = open("first", LostPoint::charge);
  first.ask(1);
  StudyOptions how;
  how.owner = "second";
  how.lost = LostPoint::charge;
  // Whenever the second looks at the clock, the first tries to renew.
  how.busy_wait = std::chrono::milliseconds(0);
  bool renewed = false;
  bool asking = false;
  StudyOptions hasty = how;
  hasty.owner = "first";
  hasty.clock = [this] { return clock; };
  Study first_again = Study::open(folder / "a.db", "valley", hasty);
  how.clock = [&] {
    if (asking && !renewed) {
      try {
        first_again.renew(Ids{0});
        renewed = true;
      } catch (const StudyBusy&) {
        // It is being charged.
      } catch (const UnknownSuggestion&) {
        // It was.
      }
    }
    return clock;
  };
  Study second = Study::open(folder / "a.db", "valley", how);
  clock = 6000;
  asking = true;
  second.ask(1);
  EXPECT_EQ(second.trial(0)->state, renewed ? TrialState::running : TrialState::failed);
}

TEST_F(StudyLease, AClockThatJumpsBackHandsNothingOutEarlyAndLosesNothing) {
  Study first = open("first");
  Study second = open("second");
  first.ask(1);
  clock = 100;  // 4,900 s back: the lease of 60 s would end in 4,960
  EXPECT_EQ(ids_of(second.ask(1)), (Ids{1}));
  EXPECT_EQ(first.trial(0)->lease_end, 160);
  clock = 159;
  EXPECT_EQ(ids_of(second.ask(1)), (Ids{2}));
  clock = 160;
  EXPECT_EQ(ids_of(second.ask(1)), (Ids{0}));
  clock = 50;
  second.tell(0, {1, 1});
  EXPECT_EQ(second.trial(0)->ended, second.trial(0)->started);
  EXPECT_EQ(second.summary().changed, 5000);
  EXPECT_EQ(second.trials().size(), 3u);
}

TEST_F(StudyLease, PreparedPointsWaitUntilTheyBegin) {
  Study study = open("first");
  study.ask(1);
  const auto ahead = study.prepare(2);
  EXPECT_EQ(ids_of(ahead), (Ids{1, 2}));
  EXPECT_EQ(study.summary().waiting, 2u);
  EXPECT_EQ(study.trial(1)->state, TrialState::waiting);
  EXPECT_FALSE(study.trial(1)->started);
  clock = 5010;
  study.begin(1, "w0");
  EXPECT_EQ(study.trial(1)->started, 5010);
  study.withdraw(2);
  const StudySummary summary = study.summary();
  EXPECT_EQ(summary.waiting, 0u);
  EXPECT_EQ(summary.running, 2u);
  EXPECT_EQ(summary.withdrawn, 1u);
}

TEST_F(StudyLease, OneAtATimeRunsAStudyThatIsClaimed) {
  Study first = open("first");
  {
    Study second = open("second");
    EXPECT_TRUE(first.claim());
    EXPECT_TRUE(first.claim());
    EXPECT_FALSE(second.claim());
    first.unclaim();
    EXPECT_TRUE(second.claim());
    EXPECT_FALSE(first.claim());
  }
  EXPECT_TRUE(first.claim());
}

TEST_F(StudyLease, QueuesOfARoundBeginAnewForThoseThatWereLost) {
  Options options = small_options(200);
  options.batch_size = 2;
  options.batches = Batches::top_up;
  StudyOptions how;
  how.owner = "first";
  how.clock = [this] { return clock; };
  Study study = Study::open(folder / "q.db", "queues", valley_space(), options, how);
  std::vector<Suggestion> round;
  while (std::ranges::none_of(round, [](const Suggestion& one) { return one.order > 0; })) {
    for (const Suggestion& one : round) study.tell(one.id, valley(one.configuration));
    round = study.ask(2);
    ASSERT_FALSE(round.empty()) << "no round had a queue";
  }
  // The first of each worker has ended, the others were lost.
  for (const Suggestion& one : round)
    if (one.order == 0) study.tell(one.id, valley(one.configuration));
  clock += 100;
  const auto again = study.ask(2);
  ASSERT_FALSE(again.empty());
  std::map<std::size_t, std::size_t> next;
  for (const Suggestion& one : again) EXPECT_EQ(one.order, next[one.slot]++);
}

}  // namespace
}  // namespace carbo
