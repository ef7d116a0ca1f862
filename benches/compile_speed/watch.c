/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a command and samples the memory of it and of all processes that it starts, also of those that lost their parent.
 *
 *   watch OUTPUT COMMAND [ARGUMENT...]     writes to OUTPUT: PEAK_KIB PROCESSES
 *
 * PEAK_KIB is the largest sum of proportional set sizes (Pss of /proc/PID/smaps_rollup) that was seen at one time: pages
 * that processes share, as after fork, count once. PROCESSES is how many processes were seen. Exits as the command does.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096 };

struct process {
  pid_t pid, parent;
};

static struct process table[MOST];
static pid_t seen[MOST];
static int seen_count;

static void fail(const char *what) {
  fprintf(stderr, "watch: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* All processes of the machine with their parents. A process may end at any time, and is then left out. */
static int list_processes(void) {
  DIR *proc = opendir("/proc");
  if (!proc) {
    fail("/proc");
  }
  int count = 0;
  struct dirent *entry;
  while ((entry = readdir(proc)) && count < MOST) {
    if (!isdigit((unsigned char)entry->d_name[0])) {
      continue;
    }
    char path[300], line[512];
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = fopen(path, "r");
    if (!file) {
      continue;
    }
    /* "pid (name) state parent ...", where the name may hold anything. */
    const char *behind_name = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    int parent;
    if (behind_name && sscanf(behind_name + 1, " %*c %d", &parent) == 1) {
      table[count++] = (struct process){atoi(entry->d_name), parent};
    }
    fclose(file);
  }
  closedir(proc);
  return count;
}

static pid_t parent_of(pid_t pid, int count) {
  for (int i = 0; i < count; ++i) {
    if (table[i].pid == pid) {
      return table[i].parent;
    }
  }
  return 0;
}

static int descends_from(pid_t pid, pid_t ancestor, int count) {
  for (int depth = 0; pid > 1 && depth < 64; ++depth) {
    pid = parent_of(pid, count);
    if (pid == ancestor) {
      return 1;
    }
  }
  return 0;
}

static void note(pid_t pid) {
  for (int i = 0; i < seen_count; ++i) {
    if (seen[i] == pid) {
      return;
    }
  }
  if (seen_count < MOST) {
    seen[seen_count++] = pid;
  }
}

static long pss_kib(pid_t pid) {
  char path[64], line[256];
  long kib = 0;
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
  FILE *file = fopen(path, "r");
  if (!file) {
    return 0;
  }
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "Pss: %ld kB", &kib) == 1) {
      break;
    }
  }
  fclose(file);
  return kib;
}

static long sample(void) {
  const int count = list_processes();
  const pid_t self = getpid();
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    if (descends_from(table[i].pid, self, count)) {
      note(table[i].pid);
      sum += pss_kib(table[i].pid);
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s OUTPUT COMMAND [ARGUMENT...]\n", argv[0]);
    return 2;
  }
  /* Processes that lose their parent become ours, so that they stay in the tree. */
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) {
    fail("prctl");
  }
  const pid_t command = fork();
  if (command < 0) {
    fail("fork");
  }
  if (command == 0) {
    execvp(argv[2], argv + 2);
    fail(argv[2]);
  }
  long peak = 0;
  int status;
  for (;;) {
    const long now = sample();
    peak = now > peak ? now : peak;
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended == command) {
        FILE *output = fopen(argv[1], "w");
        if (!output || fprintf(output, "%ld %d\n", peak, seen_count) < 0 || fclose(output)) {
          fail(argv[1]);
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}
