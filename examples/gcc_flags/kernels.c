// Three small kernels that like different flags: bodies that attract one another, a sieve, and words that are
// counted. Prints the shortest of five rounds, and a checksum that no flag may change by much.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { bodies = 220, steps = 60, limit = 6000000, letters = 4000000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double attract(void) {
  static double place[bodies][3], speed[bodies][3];
  for (int i = 0; i < bodies; ++i)
    for (int k = 0; k < 3; ++k) place[i][k] = sin(i * (k + 1.5)), speed[i][k] = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < bodies; ++i)
      for (int j = 0; j < bodies; ++j) {
        double way[3], square = 1e-2;
        for (int k = 0; k < 3; ++k) way[k] = place[j][k] - place[i][k], square += way[k] * way[k];
        const double pull = 1e-4 / (square * sqrt(square));
        for (int k = 0; k < 3; ++k) speed[i][k] += pull * way[k];
      }
    for (int i = 0; i < bodies; ++i)
      for (int k = 0; k < 3; ++k) place[i][k] += speed[i][k];
  }
  double sum = 0;
  for (int i = 0; i < bodies; ++i) sum += place[i][0] * place[i][0];
  return sum;
}

static double sieve(void) {
  static char composite[limit + 1];
  memset(composite, 0, sizeof composite);
  int primes = 0;
  for (int i = 2; i <= limit; ++i) {
    if (composite[i]) continue;
    ++primes;
    for (long j = (long)i * i; j <= limit; j += i) composite[j] = 1;
  }
  return primes;
}

static double words(void) {
  static char text[letters];
  unsigned state = 1;
  for (int i = 0; i < letters; ++i) {
    state = state * 1664525u + 1013904223u;
    text[i] = (state >> 24) % 6 == 0 ? ' ' : (char)('a' + (state >> 16) % 26);
  }
  unsigned hash = 2166136261u, counted = 0;
  for (int i = 0; i < letters; ++i) {
    if (text[i] == ' ') counted += hash & 1, hash = 2166136261u;
    hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  }
  return counted;
}

int main(void) {
  double shortest = 1e9, check = 0;
  for (int round = 0; round < 5; ++round) {
    const double start = now();
    check = attract() + sieve() + words();
    const double seconds = now() - start;
    if (seconds < shortest) shortest = seconds;
  }
  printf("{\"seconds\": %.6f, \"check\": %.6g}\n", shortest, check);
  return 0;
}
