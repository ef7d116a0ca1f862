/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How long programs take from start to end, taking turns.
 *
 *   spawn ROUNDS PROGRAM...     prints the median nanoseconds of each program, on one line
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t run(char *program) {
  char *arguments[] = {program, NULL};
  pid_t pid;
  int status;
  const int64_t before = now();
  const int error = posix_spawn(&pid, program, NULL, NULL, arguments, environ);
  if (error || waitpid(pid, &status, 0) != pid || status != 0) {
    fprintf(stderr, "spawn: %s failed: %s\n", program, error ? strerror(error) : "status");
    exit(1);
  }
  return now() - before;
}

static int order(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  const int rounds = argc > 2 ? atoi(argv[1]) : 0, programs = argc - 2;
  if (rounds < 1) {
    fprintf(stderr, "usage: %s ROUNDS PROGRAM...\n", argv[0]);
    return 2;
  }
  int64_t *times = calloc((size_t)rounds * (size_t)programs, sizeof *times);
  if (!times) {
    return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    for (int program = 0; program < programs; ++program) {
      times[program * rounds + round] = run(argv[2 + program]);
    }
  }
  for (int program = 0; program < programs; ++program) {
    qsort(times + program * rounds, (size_t)rounds, sizeof *times, order);
    printf("%lld%c", (long long)times[program * rounds + rounds / 2], program + 1 < programs ? ' ' : '\n');
  }
  free(times);
  return 0;
}
