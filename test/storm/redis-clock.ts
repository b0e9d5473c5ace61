/**
 * The clock of one Redis, that can be set: another server that takes over has another clock, and a minute is not much.
 * The server is started with a few lines of C before its libc, which add what stands in a file to the time of day. The
 * time that only counts on is left alone. Where no compiler is found there is no such clock.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer } from '../../src/redis/embedded.ts';
import { nowMs } from './clock.ts';

const SHIFTED = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile long long *offset;
__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("STORM_CLOCK");
  int file = path ? open(path, O_RDONLY) : -1;
  void *map = file < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
  if (map != MAP_FAILED) offset = map;
}
int clock_gettime(clockid_t id, struct timespec *t) {
  int failed = syscall(SYS_clock_gettime, id, t);
  if (!failed && offset && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) t->tv_sec += *offset;
  return failed;
}
int gettimeofday(struct timeval *t, void *zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
`;

export interface Step {
  /** On the clock of the storm. */
  readonly at: number;
  /** How far it moved, and how far it is off from then on. */
  readonly ms: number;
  readonly offMs: number;
}

export class RedisClock {
  /** The program to start instead of Redis' own. */
  readonly binary: string;
  readonly steps: Step[] = [];
  readonly #file: string;

  private constructor(binary: string, file: string) {
    this.binary = binary;
    this.#file = file;
  }

  /** Undefined: there is no compiler here. */
  static in(dir: string): RedisClock | undefined {
    const [source, library, file, binary] = ['clock.c', 'clock.so', 'clock.offset', 'redis-server'].map((name) =>
      join(dir, name),
    ) as [string, string, string, string];
    writeFileSync(source, SHIFTED);
    writeFileSync(file, Buffer.alloc(8));
    try {
      execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source], { stdio: 'ignore' });
    } catch (error) {
      if (error instanceof Error) return undefined;
      throw error;
    }
    writeFileSync(
      binary,
      `#!/bin/sh\nexport LD_PRELOAD=${library} STORM_CLOCK=${file}\nexec ${findRedisServer()} "$@"\n`,
    );
    chmodSync(binary, 0o755);
    return new RedisClock(binary, file);
  }

  /** Whole seconds ahead of the true time, or behind it. */
  set(seconds: number): void {
    const word = Buffer.alloc(8);
    word.writeBigInt64LE(BigInt(seconds));
    const file = openSync(this.#file, 'r+');
    writeSync(file, word, 0, word.length, 0);
    closeSync(file);
    const before = this.steps.at(-1)?.offMs ?? 0;
    this.steps.push({ at: nowMs(), ms: seconds * 1_000 - before, offMs: seconds * 1_000 });
  }
}
