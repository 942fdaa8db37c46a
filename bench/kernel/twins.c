// C twins of kernels for bench/kernel/kernels.ts: the plain algorithm over the same bytes, as gcc -O3 makes it.
//   twins IMAGE MAX_DOC NORMS NORM_INVERSE < jobs      a line per job: ns of the best of ROUNDS runs, result
//   IMAGE  the kernels' memory from address 0 on; NORMS, NORM_INVERSE addresses in it (u8[MAX_DOC], f32[256])
//   jobs   crc32c PTR BYTES │ postings RECORD DOC_FREQ │ and RECORD DOC_FREQ RECORD DOC_FREQ │ range COLUMN LO HI
//          phrase POSITIONS RECORD DOC_FREQ RECORD DOC_FREQ │ top10 TERMS (RECORD DOC_FREQ WEIGHT) x TERMS
//          ordinals COLUMN BUCKETS │ histogram COLUMN INTERVAL BUCKETS │ fixed COLUMN WIDTH BUCKETS │ starts COLUMN STARTS COUNT │ distinct COLUMN PRECISION
// Formats: assembly/postings/format.ts, docs/internals/segment-format.md. Every term's record has freqs, positions and norms.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 15, BLOCK = 128, BITSET_KIND = 64 };

static uint8_t *image;
static uint32_t max_doc;
static const uint8_t *norms;
static const float *norm_inverse;

static uint32_t u32_at(const uint8_t *p) {
  uint32_t value;
  memcpy(&value, p, 4);
  return value;
}

static uint32_t vint(const uint8_t **p) {
  uint32_t value = 0, byte, shift = 0;
  do {
    byte = *(*p)++;
    value |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return value;
}

// --- postings ---

/** Packed values, 4 lanes of 32 bits side by side. */
static void unpack(const uint8_t *packed, uint32_t width, uint32_t out[BLOCK]) {
  const uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
  for (uint32_t step = 0; step < 32; step++) {
    const uint32_t bit = step * width, shift = bit & 31;
    uint32_t low[4], high[4];
    memcpy(low, packed + (bit >> 5) * 16, 16);
    memcpy(high, packed + (bit >> 5) * 16 + 16, 16);
    for (int lane = 0; lane < 4; lane++) out[step * 4 + lane] = ((low[lane] >> shift) | (high[lane] << 1 << (31 - shift))) & mask;
  }
}

static const uint8_t *entries(const uint8_t *p, uint32_t count, uint32_t last, uint32_t *docs, uint32_t *freqs) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t entry = vint(&p);
    docs[i] = last += entry >> 1;
    freqs[i] = entry & 1 ? 1 : vint(&p);
  }
  return p;
}

/** Sets the bits of a term's documents. */
static void postings_to_bits(const uint8_t *record, uint32_t doc_freq, uint64_t *bits) {
  uint32_t docs[BLOCK], freqs[BLOCK];
  const uint32_t blocks = (doc_freq + BLOCK - 1) / BLOCK;
  const uint8_t *table = record + u32_at(record);
  uint32_t base = 0;
  for (uint32_t b = 0; b < blocks; b++) {
    const uint8_t *p = doc_freq < BLOCK ? record : record + u32_at(table + 4 * (blocks + b));
    const uint32_t count = doc_freq - b * BLOCK < BLOCK ? doc_freq - b * BLOCK : BLOCK, last = base ? base - 1 : 0;
    if (count == BLOCK && *p >= BITSET_KIND) {
      const uint32_t words = *p - BITSET_KIND, shift = base & 63;
      uint64_t *into = bits + (base >> 6);
      for (uint32_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, p + 1 + i * 8, 8);
        into[i] |= word << shift;
        if (shift) into[i + 1] |= word >> (64 - shift);
      }
    } else {
      if (count == BLOCK) {
        unpack(p + 1, *p, docs);
        for (uint32_t i = 0, doc = last; i < BLOCK; i++) docs[i] = doc += docs[i];
      } else {
        entries(p, count, last, docs, freqs);
      }
      for (uint32_t i = 0; i < count; i++) bits[docs[i] >> 6] |= 1ull << (docs[i] & 63);
    }
    if (doc_freq >= BLOCK) base = u32_at(table + 4 * b) + 1;
  }
}

/** Decodes a term's documents and freqs; returns the address behind a short record's entries. */
static const uint8_t *decode(const uint8_t *record, uint32_t doc_freq, uint32_t *docs, uint32_t *freqs) {
  if (doc_freq < BLOCK) return entries(record, doc_freq, 0, docs, freqs);
  const uint32_t blocks = (doc_freq + BLOCK - 1) / BLOCK;
  const uint8_t *table = record + u32_at(record);
  for (uint32_t b = 0; b < blocks; b++, docs += BLOCK, freqs += BLOCK) {
    const uint8_t *p = record + u32_at(table + 4 * (blocks + b));
    const uint32_t count = doc_freq - b * BLOCK < BLOCK ? doc_freq - b * BLOCK : BLOCK, base = b ? u32_at(table + 4 * b - 4) + 1 : 0;
    const uint32_t last = base ? base - 1 : 0;
    if (count < BLOCK) {
      entries(p, count, last, docs, freqs);
      continue;
    }
    const uint32_t kind = *p++;
    if (kind >= BITSET_KIND) {
      uint32_t n = 0;
      for (uint32_t i = 0; i < kind - BITSET_KIND; i++, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        for (; word; word &= word - 1) docs[n++] = base + i * 64 + __builtin_ctzll(word);
      }
    } else {
      unpack(p, kind, docs);
      for (uint32_t i = 0, doc = last; i < BLOCK; i++) docs[i] = doc += docs[i];
      p += 16 * kind;
    }
    const uint32_t width = *p++;
    uint32_t exceptions = *p++;
    unpack(p, width, freqs);
    p += 16 * width;
    for (; exceptions; exceptions--) {
      const uint32_t index = *p++;
      freqs[index] |= vint(&p) << width;
    }
    for (uint32_t i = 0; i < BLOCK; i++) freqs[i]++;
  }
  return NULL;
}

// --- jobs ---

static uint32_t tables[8][256];

static void make_tables(void) {
  for (int byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
    tables[0][byte] = crc;
  }
  for (int slice = 1; slice < 8; slice++)
    for (int byte = 0; byte < 256; byte++) tables[slice][byte] = (tables[slice - 1][byte] >> 8) ^ tables[0][tables[slice - 1][byte] & 0xff];
}

static uint64_t crc32c(const uint8_t *p, size_t bytes) {
  uint32_t crc = ~0u;
  for (const uint8_t *end = p + (bytes & ~(size_t)7); p < end; p += 8) {
    const uint32_t low = u32_at(p) ^ crc, high = u32_at(p + 4);
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^ tables[4][low >> 24] ^
          tables[3][high & 0xff] ^ tables[2][(high >> 8) & 0xff] ^ tables[1][(high >> 16) & 0xff] ^ tables[0][high >> 24];
  }
  return (uint32_t)~crc;
}

static uint64_t count_bits(const uint64_t *bits) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < max_doc / 64 + 1; i++) count += __builtin_popcountll(bits[i]);
  return count;
}

/** Documents with a value in [lo, hi] of a multi-valued column of u16 (docs/internals/segment-format.md). */
static uint64_t range(const uint8_t *column, uint32_t lo, uint32_t hi, uint64_t *bits) {
  const uint16_t *values = (const uint16_t *)(column + u32_at(column + 32));
  const uint64_t *presence = (const uint64_t *)(column + u32_at(column + 36));
  const uint32_t *starts = (const uint32_t *)(column + u32_at(column + 44));
  const int direct = (u32_at(column) & 4) != 0, full = (u32_at(column) & 2) != 0;
  uint32_t slot = 0;
  for (uint32_t doc = 0; doc < max_doc; doc++) {
    const int present = full || (presence[doc >> 6] >> (doc & 63) & 1);
    if (present) {
      uint64_t hit = 0;
      for (uint32_t i = starts[slot]; i < starts[slot + 1]; i++) hit |= values[i] >= lo && values[i] <= hi;
      bits[doc >> 6] |= hit << (doc & 63);
    }
    slot += direct || present;
  }
  return count_bits(bits);
}

struct term {
  const uint8_t *record;
  uint32_t doc_freq, *docs, *freqs;
  float weight;
};

/** Documents where the second term follows the first. */
static uint64_t phrase(const uint8_t *positions, struct term *terms) {
  const uint8_t *p[2];
  for (int t = 0; t < 2; t++) {
    const uint8_t *inside = decode(terms[t].record, terms[t].doc_freq, terms[t].docs, terms[t].freqs);
    p[t] = inside ? inside : positions + u32_at(terms[t].record + 4);
  }
  uint32_t i = 0, j = 0;
  uint64_t found = 0;
  static uint32_t first[1 << 16];
  while (i < terms[0].doc_freq && j < terms[1].doc_freq) {
    const uint32_t a = terms[0].docs[i], b = terms[1].docs[j];
    if (a != b) {
      const int t = a > b;
      for (uint32_t n = t ? terms[1].freqs[j++] : terms[0].freqs[i++]; n; n--) vint(&p[t]);
      continue;
    }
    const uint32_t count = terms[0].freqs[i++];
    for (uint32_t n = 0, position = 0; n < count; n++) first[n] = position += vint(&p[0]);
    uint32_t at = 0, hit = 0;
    for (uint32_t n = terms[1].freqs[j++], position = 0; n; n--) {
      position += vint(&p[1]);
      while (at < count && first[at] + 1 < position) at++;
      hit |= at < count && first[at] + 1 == position;
    }
    found += hit;
  }
  return found;
}

/** Scores every match; the sum of the best ten documents' numbers times their places, which orders them too. */
static uint64_t top10(struct term *terms, uint32_t count, double *sums) {
  memset(sums, 0, max_doc * sizeof *sums);
  for (uint32_t t = 0; t < count; t++) {
    decode(terms[t].record, terms[t].doc_freq, terms[t].docs, terms[t].freqs);
    const float weight = terms[t].weight;
    for (uint32_t i = 0; i < terms[t].doc_freq; i++) {
      const uint32_t doc = terms[t].docs[i];
      sums[doc] += weight - weight / (1.0f + (float)terms[t].freqs[i] * norm_inverse[norms[doc]]);
    }
  }
  float best[10] = {0};
  uint32_t docs[10] = {0};
  for (uint32_t doc = 0; doc < max_doc; doc++) {
    const float score = (float)sums[doc];
    if (score <= best[9]) continue;
    int at = 9;
    for (; at > 0 && best[at - 1] < score; at--) best[at] = best[at - 1], docs[at] = docs[at - 1];
    best[at] = score;
    docs[at] = doc;
  }
  uint64_t result = 0;
  for (int i = 0; i < 10; i++) result += (uint64_t)docs[i] * (i + 1);
  return result;
}

// --- aggregations over full columns of one value a document ---

static const uint8_t *values_of(const uint8_t *column) { return column + u32_at(column + 32); }

static int64_t i64_at(const uint8_t *p) {
  int64_t value;
  memcpy(&value, p, 8);
  return value;
}

/** Sum of each bucket's documents times its number, from 1 on. */
static uint64_t weigh(const uint32_t *counts, uint32_t buckets) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < buckets; i++) sum += (uint64_t)counts[i] * (i + 1);
  return sum;
}

/** Stored u16 values are the buckets. */
static uint64_t ordinals(const uint8_t *column, uint32_t buckets, uint32_t *counts) {
  const uint16_t *values = (const uint16_t *)values_of(column);
  memset(counts, 0, buckets * 4);
  for (uint32_t doc = 0; doc < max_doc; doc++) counts[values[doc]]++;
  return weigh(counts, buckets);
}

/** Doubles, none below 0. */
static uint64_t histogram(const uint8_t *column, double interval, uint32_t buckets, uint32_t *counts) {
  const double *values = (const double *)values_of(column);
  memset(counts, 0, buckets * 4);
  for (uint32_t doc = 0; doc < max_doc; doc++) counts[(uint32_t)(values[doc] / interval)]++;
  return weigh(counts, buckets);
}

/** Buckets of `width` stored u32 values. */
static uint64_t fixed(const uint8_t *column, uint32_t width, uint32_t buckets, uint32_t *counts) {
  const uint32_t *values = (const uint32_t *)values_of(column);
  memset(counts, 0, buckets * 4);
  for (uint32_t doc = 0; doc < max_doc; doc++) counts[values[doc] / width]++;
  return weigh(counts, buckets);
}

/** Bucket i is [starts[i], starts[i + 1]) of the raw values. */
static uint64_t by_starts(const uint8_t *column, const uint8_t *starts, uint32_t count, uint32_t *counts) {
  const uint32_t *values = (const uint32_t *)values_of(column);
  const int64_t base = i64_at(column + 8), multiplier = i64_at(column + 16);
  int64_t bounds[64];
  memcpy(bounds, starts, count * 8);
  memset(counts, 0, count * 4);
  for (uint32_t doc = 0; doc < max_doc; doc++) {
    const int64_t value = base + values[doc] * multiplier;
    uint32_t low = 0, high = count - 1;
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (bounds[middle] <= value) low = middle;
      else high = middle;
    }
    counts[low]++;
  }
  return weigh(counts, count);
}

/** HyperLogLog of the raw values: sum of the registers, each times its number. */
static uint64_t distinct(const uint8_t *column, uint32_t precision, uint8_t *registers) {
  const uint32_t *values = (const uint32_t *)values_of(column);
  const int64_t base = i64_at(column + 8), multiplier = i64_at(column + 16);
  memset(registers, 0, (size_t)1 << precision);
  for (uint32_t doc = 0; doc < max_doc; doc++) {
    uint64_t h = (uint64_t)(base + values[doc] * multiplier);
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdull;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
    h ^= h >> 33;
    const uint8_t rank = __builtin_clzll((h << precision) | (1ull << (precision - 1))) + 1;
    uint8_t *at = registers + (h >> (64 - precision));
    if (rank > *at) *at = rank;
  }
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 1u << precision; i++) sum += (uint64_t)registers[i] * (i + 1);
  return sum;
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  FILE *file = fopen(argv[1], "rb");
  if (!file || fseek(file, 0, SEEK_END)) return 2;
  const long bytes = ftell(file);
  rewind(file);
  image = aligned_alloc(64, (bytes + 127) & ~63L);
  if (!image || fread(image, 1, bytes, file) != (size_t)bytes) return 2;
  max_doc = strtoul(argv[2], NULL, 10);
  norms = image + strtoul(argv[3], NULL, 10);
  norm_inverse = (const float *)(image + strtoul(argv[4], NULL, 10));
  make_tables();
  const size_t words = max_doc / 64 + 64;
  uint64_t *bits = aligned_alloc(64, words * 8 + 64), *more = aligned_alloc(64, words * 8 + 64);
  double *sums = calloc(max_doc, sizeof *sums);
  uint32_t *counts = malloc(1 << 20);
  struct term terms[8];
  for (int t = 0; t < 8; t++) {
    terms[t].docs = malloc((max_doc + BLOCK) * 4);
    terms[t].freqs = malloc((max_doc + BLOCK) * 4);
  }
  char job[16];
  while (scanf("%15s", job) == 1) {
    double numbers[32];
    int n = 0;
    while (n < 32 && scanf("%lf", &numbers[n]) == 1) n++;
    scanf(" ;");
    const int is_phrase = !strcmp(job, "phrase"), is_top = !strcmp(job, "top10"), is_and = !strcmp(job, "and");
    const int stride = is_top ? 3 : 2, first = is_top || is_phrase ? 1 : 0;
    const uint32_t count = is_top ? (uint32_t)numbers[0] : 2;
    for (uint32_t t = 0; (is_top || is_phrase || is_and) && t < count; t++) {
      const double *of = numbers + first + t * stride;
      terms[t].record = image + (size_t)of[0];
      terms[t].doc_freq = (uint32_t)of[1];
      if (is_top) terms[t].weight = (float)of[2];
    }
    const int uses_bits = is_and || !strcmp(job, "postings") || !strcmp(job, "range");
    double best = 1e18;
    uint64_t result = 0;
    for (int round = 0; round < ROUNDS; round++) {
      const double start = now_ns();
      if (uses_bits) memset(bits, 0, words * 8);
      if (!strcmp(job, "crc32c")) {
        result = crc32c(image + (size_t)numbers[0], (size_t)numbers[1]);
      } else if (!strcmp(job, "postings")) {
        postings_to_bits(image + (size_t)numbers[0], (uint32_t)numbers[1], bits);
        result = count_bits(bits);
      } else if (is_and) {
        memset(more, 0, words * 8);
        postings_to_bits(terms[0].record, terms[0].doc_freq, bits);
        postings_to_bits(terms[1].record, terms[1].doc_freq, more);
        for (size_t i = 0; i < words; i++) bits[i] &= more[i];
        result = count_bits(bits);
      } else if (!strcmp(job, "range")) {
        result = range(image + (size_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2], bits);
      } else if (is_phrase) {
        result = phrase(image + (size_t)numbers[0], terms);
      } else if (is_top) {
        result = top10(terms, count, sums);
      } else if (!strcmp(job, "ordinals")) {
        result = ordinals(image + (size_t)numbers[0], (uint32_t)numbers[1], counts);
      } else if (!strcmp(job, "histogram")) {
        result = histogram(image + (size_t)numbers[0], numbers[1], (uint32_t)numbers[2], counts);
      } else if (!strcmp(job, "fixed")) {
        result = fixed(image + (size_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2], counts);
      } else if (!strcmp(job, "starts")) {
        result = by_starts(image + (size_t)numbers[0], image + (size_t)numbers[1], (uint32_t)numbers[2], counts);
      } else if (!strcmp(job, "distinct")) {
        result = distinct(image + (size_t)numbers[0], (uint32_t)numbers[1], (uint8_t *)counts);
      } else {
        return 2;
      }
      const double time = now_ns() - start;
      if (time < best) best = time;
    }
    printf("%.0f %llu\n", best, (unsigned long long)result);
  }
  return 0;
}
