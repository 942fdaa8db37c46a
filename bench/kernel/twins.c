// C twins of kernels for bench/kernel/kernels.ts: the same algorithms over the same data, printed as `name ns-per-item result`.
//   gcc -O3 -march=native -o twins twins.c && ./twins
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint32_t tables[8][256];

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void make_tables(void) {
  for (int byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
    tables[0][byte] = crc;
  }
  for (int slice = 1; slice < 8; slice++)
    for (int byte = 0; byte < 256; byte++) tables[slice][byte] = (tables[slice - 1][byte] >> 8) ^ tables[0][tables[slice - 1][byte] & 0xff];
}

static uint32_t crc32c(const uint8_t *p, size_t bytes) {
  uint32_t crc = ~0u;
  for (const uint8_t *end = p + (bytes & ~(size_t)7); p < end; p += 8) {
    uint32_t low, high;
    memcpy(&low, p, 4);
    memcpy(&high, p + 4, 4);
    low ^= crc;
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^ tables[4][low >> 24] ^
          tables[3][high & 0xff] ^ tables[2][(high >> 8) & 0xff] ^ tables[1][(high >> 16) & 0xff] ^ tables[0][high >> 24];
  }
  return ~crc;
}

static uint32_t count_and(const uint64_t *a, const uint64_t *b, size_t words) {
  uint64_t count = 0;
  for (size_t i = 0; i < words; i++) count += __builtin_popcountll(a[i] & b[i]);
  return (uint32_t)count;
}

/** The bytes of the bench: a linear congruential generator, so that C and TypeScript see the same. */
static void fill(uint8_t *p, size_t bytes, uint32_t seed) {
  for (size_t i = 0; i < bytes; i++) {
    seed = seed * 1664525u + 1013904223u;
    p[i] = seed >> 24;
  }
}

int main(void) {
  const size_t bytes = 4 << 20, rounds = 15;
  uint8_t *a = aligned_alloc(64, bytes), *b = aligned_alloc(64, bytes);
  fill(a, bytes, 1);
  fill(b, bytes, 2);
  make_tables();
  double best_crc = 1e18, best_and = 1e18;
  uint32_t crc = 0, and = 0;
  for (size_t round = 0; round < rounds; round++) {
    double start = now_ns();
    crc = crc32c(a, bytes);
    double middle = now_ns();
    and = count_and((const uint64_t *)a, (const uint64_t *)b, bytes / 8);
    double end = now_ns();
    if (middle - start < best_crc) best_crc = middle - start;
    if (end - middle < best_and) best_and = end - middle;
  }
  printf("codec/crc32c %f %u\n", best_crc / bytes, crc);
  printf("codec/bitsetCountAnd %f %u\n", best_and / (bytes * 8.0), and);
  return 0;
}
