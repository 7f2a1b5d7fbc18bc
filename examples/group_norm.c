// SPDX-License-Identifier: Apache-2.0
/* The C interface: a call without a plan, and the hot path with one. */
#include <fastnorm/fastnorm.h>

#include <stdio.h>
#include <stdlib.h>

enum { n = 2, c = 32, height = 64, width = 64, count = n * c * height * width };

static const int64_t extents[] = {n, c, height, width};

static int fail(void) {
  fprintf(stderr, "%s\n", fastnorm_last_error());
  return 1;
}

/* Plan once, execute often; 0 if all went well. */
static int execute_often(const float* x, float* y) {
  fastnorm_norm_desc desc;
  fastnorm_norm_desc_init(&desc, sizeof desc);
  desc.op = FASTNORM_OP_GROUP_NORM;
  desc.rank = 4;
  desc.extents = extents;
  desc.groups = 8;

  fastnorm_plan_options options;
  fastnorm_plan_options_init(&options, sizeof options);
  options.memory = FASTNORM_MEMORY_HOST;

  fastnorm_plan* plan;
  if (fastnorm_plan_create(&desc, &options, &plan) != FASTNORM_OK) return fail();
  printf("%s\n", fastnorm_plan_describe(plan));

  fastnorm_norm_args args;
  fastnorm_norm_args_init(&args, sizeof args);
  args.x = x;
  args.y = y;

  const size_t bytes = fastnorm_plan_workspace_bytes(plan);
  void* workspace = malloc(bytes); /* aligned to 16 bytes at least */
  int failed = 0;
  for (int i = 0; i < 10 && !failed; ++i) {
    if (fastnorm_plan_execute(plan, &args, workspace, bytes, NULL) != FASTNORM_OK) failed = fail();
  }
  free(workspace);
  fastnorm_plan_destroy(plan);
  return failed;
}

int main(void) {
  float* x = malloc(count * sizeof *x);
  float* y = malloc(count * sizeof *y);
  int failed = x == NULL || y == NULL;
  for (size_t i = 0; i < count && !failed; ++i) x[i] = (float)(i % 17);
  if (!failed && fastnorm_group_norm(extents, 4, 8, x, y, NULL, NULL, NULL) != FASTNORM_OK) {
    failed = fail();
  }
  if (!failed) failed = execute_often(x, y);
  if (!failed) printf("normalized\n");
  free(x);
  free(y);
  return failed;
}
