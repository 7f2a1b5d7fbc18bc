// SPDX-License-Identifier: Apache-2.0
#include "tuner/time_model.hpp"

#include "core/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace fastnorm::tuner {
namespace {

// Variances of log(time / estimate), by what explains them. They stand in proportion; how large
// they are altogether is learned.
constexpr double variance_of_all = 0.09;       // A device, or a host, unlike what was fitted.
constexpr double variance_of_strategy = 0.01;  // An estimate that is wrong about a strategy.
constexpr double variance_of_fields = 0.004;   // About what single fields do.
constexpr double variance_of_point = 0.008;    // About how they work together.
constexpr double variance_of_noise = 0.0001;   // Of a measurement.

/// Values of a field between which nothing is alike any more.
constexpr int farthest_values = 3;

/// How much alike candidates are whose values of one field are so many steps apart.
constexpr double likeness[] = {1, 0.7, 0.49, 0.343};

/// Until so many observations, the variances are as they stand above.
constexpr double prior_weight = 10;

using Values = std::vector<std::string>;

bool are_numbers(const Values& values) {
  int number = 0;
  return std::all_of(values.begin(), values.end(),
                     [&](const std::string& value) { return parse_number(value, number); });
}

/// Of a time, and of one that is given as 0, too.
double logarithm(double us) { return std::log(std::max(us, 1e-6)); }

int number_of(const std::string& text) {
  int number = 0;
  parse_number(text, number);
  return number;
}

/// The values of each field of a strategy, numbers in their order.
std::vector<Values> values_of(const KernelVariant& variant,
                              const std::vector<Contender>& contenders) {
  std::vector<std::set<std::string>> seen;
  for (const Contender& contender : contenders) {
    if (contender.variant != &variant) continue;
    const ConfigFields fields = contender.config.fields();
    seen.resize(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) seen[i].insert(fields[i].value);
  }
  std::vector<Values> all;
  for (const std::set<std::string>& one : seen) {
    Values values(one.begin(), one.end());
    if (are_numbers(values)) {
      std::sort(values.begin(), values.end(), [](const std::string& a, const std::string& b) {
        return number_of(a) < number_of(b);
      });
    }
    all.push_back(std::move(values));
  }
  return all;
}

}  // namespace

std::vector<TimeModel::Point> TimeModel::points_of(const std::vector<Contender>& contenders) {
  std::map<const KernelVariant*, std::vector<Values>> values;
  std::vector<Point> points;
  for (const Contender& contender : contenders) {
    std::vector<Values>& of_strategy = values[contender.variant];
    if (of_strategy.empty()) of_strategy = values_of(*contender.variant, contenders);
    Point point{contender.variant, {}, {}};
    const ConfigFields fields = contender.config.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Values& known = of_strategy[i];
      const auto place = std::find(known.begin(), known.end(), fields[i].value);
      point.places.push_back(static_cast<int>(place - known.begin()));
      point.farthest.push_back(are_numbers(known) ? farthest_values : 1);
    }
    points.push_back(std::move(point));
  }
  return points;
}

TimeModel::TimeModel(const SearchSpace& space) : points_(points_of(space.contenders)) {
  for (const double us : space.estimates_us) log_estimates_.push_back(logarithm(us));
  means_.assign(points_.size(), 0);
  for (const Point& point : points_) variances_.push_back(covariance(point, point));
}

double TimeModel::covariance(const Point& a, const Point& b) {
  if (a.variant != b.variant) return variance_of_all;
  double of_point = variance_of_point;
  double of_fields = 0;
  for (std::size_t i = 0; i < a.places.size(); ++i) {
    const int distance = std::min(std::abs(a.places[i] - b.places[i]), a.farthest[i]);
    of_point *= likeness[distance];
    of_fields += distance == a.farthest[i] ? 0 : likeness[distance];
  }
  if (!a.places.empty()) of_fields *= variance_of_fields / static_cast<double>(a.places.size());
  return variance_of_all + variance_of_strategy + of_fields + of_point;
}

void TimeModel::observe(std::size_t index, double us) {
  const double error = logarithm(us) - log_estimates_[index] - means_[index];
  const double variance = variances_[index] + variance_of_noise;
  surprise_ += error * error / variance;
  const double pivot = std::sqrt(variance);

  std::vector<double> column(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i)
    column[i] = covariance(points_[i], points_[index]);
  for (const std::vector<float>& row : factor_) {
    const double of_index = static_cast<double>(row[index]);
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] -= of_index * static_cast<double>(row[i]);
  }
  std::vector<float> row(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double share = column[i] / pivot;
    row[i] = static_cast<float>(share);
    means_[i] += share * error / pivot;
    variances_[i] = std::max(variances_[i] - share * share, 0.0);
  }
  factor_.push_back(std::move(row));
}

double TimeModel::expected_gain(std::size_t index, double best_us) const {
  const auto observations = static_cast<double>(factor_.size());
  const double scale = (prior_weight + surprise_) / (prior_weight + observations);
  const double deviation = std::sqrt(scale * variances_[index]) + 1e-9;
  const double gain = logarithm(best_us) - log_estimates_[index] - means_[index];
  const double z = gain / deviation;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979323846);
  const double below = 0.5 * std::erfc(-z / std::sqrt(2.0));
  return gain * below + deviation * density;
}

}  // namespace fastnorm::tuner
