/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How long programs take from start to end, taking turns.
 *
 *   spawn ROUNDS PROGRAM...     one line a program: medians of the nanoseconds on the clock and on the processor
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t nanoseconds(struct timeval t) { return ((int64_t)t.tv_sec * 1000000 + t.tv_usec) * 1000; }

static void run(char *program, int64_t *wall, int64_t *processor) {
  char *arguments[] = {program, NULL};
  pid_t pid;
  int status;
  struct rusage usage;
  const int64_t before = now();
  const int error = posix_spawn(&pid, program, NULL, NULL, arguments, environ);
  if (error || wait4(pid, &status, 0, &usage) != pid || status != 0) {
    fprintf(stderr, "spawn: %s failed: %s\n", program, error ? strerror(error) : "status");
    exit(1);
  }
  *wall = now() - before;
  *processor = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

static int order(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static long long median(int64_t *times, int count) {
  qsort(times, (size_t)count, sizeof *times, order);
  return times[count / 2];
}

int main(int argc, char **argv) {
  const int rounds = argc > 2 ? atoi(argv[1]) : 0, programs = argc - 2;
  if (rounds < 1) {
    fprintf(stderr, "usage: %s ROUNDS PROGRAM...\n", argv[0]);
    return 2;
  }
  const size_t all = (size_t)rounds * (size_t)programs;
  int64_t *wall = calloc(all, sizeof *wall), *processor = calloc(all, sizeof *processor);
  if (!wall || !processor) {
    return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    for (int program = 0; program < programs; ++program) {
      run(argv[2 + program], wall + program * rounds + round, processor + program * rounds + round);
    }
  }
  for (int program = 0; program < programs; ++program) {
    printf("%lld %lld\n", median(wall + program * rounds, rounds), median(processor + program * rounds, rounds));
  }
  free(wall);
  free(processor);
  return 0;
}
