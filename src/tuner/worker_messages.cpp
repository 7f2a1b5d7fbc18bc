// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker_messages.hpp"

namespace fastnorm::tuner {

std::string to_line(const WorkerRequest& request) { return to_record_line(request); }

std::string to_line(const WorkerAnswer& answer) { return to_record_line(answer); }

std::optional<WorkerRequest> parse_request(std::string_view line) {
  return parse_record_line<WorkerRequest>(line);
}

std::optional<WorkerAnswer> parse_answer(std::string_view line) {
  return parse_record_line<WorkerAnswer>(line);
}

}  // namespace fastnorm::tuner
