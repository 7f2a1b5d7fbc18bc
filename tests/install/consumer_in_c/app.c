// SPDX-License-Identifier: Apache-2.0
/* A program in C that links fastnorm::fastnorm and knows nothing else. */
#include <fastnorm/fastnorm.h>

#include <stdio.h>

int main(void) {
  const int64_t extents[] = {1, 4};
  const float x[] = {1, 2, 3, 4};
  float y[4] = {0};
  fastnorm_plan_options plan;
  fastnorm_norm_options options;
  fastnorm_status status;
  fastnorm_plan_options_init(&plan, sizeof plan);
  plan.memory = FASTNORM_MEMORY_HOST;
  fastnorm_norm_options_init(&options, sizeof options);
  options.plan = &plan;
  status = fastnorm_group_norm(extents, 2, 1, x, y, NULL, NULL, &options);
  printf("fastnorm %s: %s %s\n", fastnorm_version(), fastnorm_status_name(status),
         fastnorm_last_error());
  printf("y = %.5f %.5f %.5f %.5f\n", (double)y[0], (double)y[1], (double)y[2], (double)y[3]);
  /* A build without a back end for the host says so; everything else is a failure. */
  return status == FASTNORM_OK || status == FASTNORM_UNAVAILABLE ? 0 : 1;
}
