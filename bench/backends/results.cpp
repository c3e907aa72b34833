#include "bench/backends/results.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include <carbo/error.hpp>

#include "bench/backends/crossover.hpp"
#include "support/text.hpp"

namespace carbo::bench {

namespace {

using Json = nlohmann::ordered_json;
using internal::text;

constexpr const char* schema_name = "carbo-backend-benchmark";

Json json_of(const Case& c) {
  return {{"job", name_of(c.job)},
          {"variant", c.variant},
          {"n", c.sizes.n},
          {"m", c.sizes.m},
          {"d", c.sizes.d},
          {"b", c.sizes.b},
          {"fantasies", c.sizes.fantasies},
          {"restarts", c.sizes.restarts},
          {"batched", c.sizes.batched}};
}

std::size_t size_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (!value.is_number_unsigned())
    throw InvalidOptions(text(key, " is a whole number that is not negative, not ", value.dump()));
  return value;
}

Case case_of(const Json& json) {
  return {.job = job_by_name(json.at("job").get<std::string>()),
          .variant = json.at("variant"),
          .sizes = {.n = size_at(json, "n"),
                    .m = size_at(json, "m"),
                    .d = size_at(json, "d"),
                    .b = size_at(json, "b"),
                    .fantasies = size_at(json, "fantasies"),
                    .restarts = size_at(json, "restarts"),
                    .batched = json.at("batched")}};
}

Json json_of(const replay::Spread& s) {
  return {{"median", s.median}, {"lower_quartile", s.lower}, {"upper_quartile", s.upper},
          {"lowest", s.lowest}, {"highest", s.highest},      {"samples", s.samples}};
}

replay::Spread spread_from(const Json& json) {
  const replay::Spread spread{json.at("median"), json.at("lower_quartile"), json.at("upper_quartile"),
                              json.at("lowest"), json.at("highest"),        json.at("samples")};
  if (!(spread.lowest > 0 && spread.lowest <= spread.lower && spread.lower <= spread.median &&
        spread.median <= spread.upper && spread.upper <= spread.highest && spread.samples > 0))
    throw InvalidOptions("a spread is not of positive numbers in ascending order");
  return spread;
}

Json json_of(const MachineLimits& limits) {
  return {{"gemm_flops", limits.gemm_flops},
          {"memory_bytes", limits.memory_bytes},
          {"matern_entries", limits.matern_entries},
          {"fma_flops", limits.fma_flops}};
}

MachineLimits limits_from(const Json& json) {
  return {json.at("gemm_flops"), json.at("memory_bytes"), json.at("matern_entries"), json.value("fma_flops", 0.0)};
}

Json json_of(const Measurement& m) {
  Json json = json_of(m.of);
  json["backend"] = m.backend;
  json["seconds"] = json_of(m.seconds);
  json["cpu_seconds"] = m.cpu_seconds;
  json["units"] = m.work.units;
  json["unit"] = m.work.unit;
  json["rate"] = m.rate();
  json["flops"] = m.work.flops;
  json["bytes"] = m.work.bytes;
  json["limit"] = name_of(m.work.limit);
  json["limit_work"] = m.work.limit_work;
  json["limit_rate"] = m.limit_rate;
  json["share_of_limit"] = m.share ? json_of(*m.share) : Json();
  json["peak_bytes"] = m.peak_bytes;
  json["search"] = m.shares ? Json{{"finished", m.shares->finished},
                                   {"refreshed", m.shares->refreshed},
                                   {"rows", m.shares->rows},
                                   {"screened", m.shares->screened}}
                            : Json();
  return json;
}

Measurement measurement_of(const Json& json) {
  Measurement m;
  m.of = case_of(json);
  m.backend = json.at("backend");
  m.seconds = spread_from(json.at("seconds"));
  m.cpu_seconds = json.at("cpu_seconds");
  m.work = {.units = json.at("units"),
            .unit = json.at("unit"),
            .flops = json.at("flops"),
            .bytes = json.at("bytes"),
            .limit = limit_by_name(json.at("limit").get<std::string>()),
            .limit_work = json.at("limit_work")};
  m.limit_rate = json.at("limit_rate");
  if (const Json& share = json.at("share_of_limit"); !share.is_null()) m.share = spread_from(share);
  m.peak_bytes = json.at("peak_bytes");
  if (const Json& search = json.at("search"); !search.is_null())
    m.shares =
        PickShares{search.at("finished"), search.at("refreshed"), search.at("rows"), search.value("screened", 0.0)};
  return m;
}

Json json_of(const StageWork& work) {
  return {{"stage", work.stage},
          {"flops", work.flops},
          {"bytes", work.bytes},
          {"requested_bytes", work.requested_bytes},
          {"slots", work.slots},
          {"longest_slots", work.longest_slots},
          {"float32_flops", work.float32_flops},
          {"float32_slots", work.float32_slots},
          {"longest_float32_slots", work.longest_float32_slots},
          {"launches", work.launches},
          {"library_calls", work.library_calls},
          {"dependent_rows", work.dependent_rows},
          {"waits", work.waits},
          {"bytes_to_device", work.bytes_to_device},
          {"bytes_to_host", work.bytes_to_host}};
}

Json json_of(const Prediction& p) {
  StageWork total = sum_of(p.stages);
  total.stage = "all";
  Json json = json_of(p.of);
  json["card"] = p.card;
  json["seconds"] = p.seconds;
  json["total"] = json_of(total);
  json["stages"] = Json::array();
  for (const StageWork& stage : p.stages) json["stages"].push_back(json_of(stage));
  return json;
}

Json json_of(const CrossoverLine& line) {
  Json json = json_of(line.of);
  json["varies"] = line.varies;
  json["kind"] = name_of(line.crossover.kind);
  json["size"] = line.crossover.size;
  return json;
}

Failure failure_of(const Json& json) { return {case_of(json), json.at("backend"), json.at("reason")}; }

Json json_of(const Failure& failure) {
  Json json = json_of(failure.of);
  json["backend"] = failure.backend;
  json["reason"] = failure.reason;
  return json;
}

template <class Items>
Json list_of(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

/// Throws what nlohmann's library or the conversions throw.
Report converted(const Json& json) {
  if (json.at("schema") != schema_name) throw InvalidOptions(text("its schema is not ", schema_name));
  if (json.at("schema_version") != schema_version)
    throw InvalidOptions(text("its schema_version is ", json.at("schema_version").dump(), ", and ", schema_version,
                              " is what this program reads"));
  Report report;
  for (const auto& [key, value] : json.at("environment").items()) report.environment[key] = value;
  report.limits = limits_from(json.at("limits"));
  if (const auto limits = json.find("device_limits"); limits != json.end() && !limits->is_null())
    report.device_limits = limits_from(*limits);
  for (const Json& result : json.at("results")) {
    report.measurements.push_back(measurement_of(result));
    const Measurement& last = report.measurements.back();
    if (find(report, last.of, last.backend) != &last) throw InvalidOptions("a result stands in it twice");
  }
  for (const Json& failure : json.at("failures")) report.failures.push_back(failure_of(failure));
  return report;
}

}  // namespace

std::string json_text(const Report& report, const std::vector<Prediction>& predictions) {
  Json json;
  json["schema"] = schema_name;
  json["schema_version"] = schema_version;
  json["environment"] = report.environment;
  json["limits"] = json_of(report.limits);
  json["device_limits"] = report.device_limits ? json_of(*report.device_limits) : Json();
  json["results"] = list_of(report.measurements);
  json["crossovers"] = list_of(crossovers(report));
  json["failures"] = list_of(report.failures);
  json["model_not_measurement"] = list_of(predictions);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Report report_from_json(const std::string& content, const std::string& name) {
  try {
    return converted(Json::parse(content));
  } catch (const Json::parse_error& error) {
    throw UnreadableReport(text(name, " is not JSON: ", error.what()));
  } catch (const Json::exception& error) {
    throw UnreadableReport(text(name, " is not a report of this program: ", error.what()));
  } catch (const Error& error) {
    throw UnreadableReport(text(name, " cannot be used: ", error.what()));
  }
}

Report read_report(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  if (!in || !(content << in.rdbuf())) throw UnreadableReport(text(file.string(), " cannot be read"));
  return report_from_json(content.str(), file.string());
}

}  // namespace carbo::bench
