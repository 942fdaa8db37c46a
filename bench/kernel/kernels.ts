// Kernels against their TypeScript twins, and C twins at -O3 where a gcc is at hand.
//   npx tsx bench/kernel/kernels.ts [NAME]      only cases whose name contains NAME
// Each case first checks that the results are equal, then reports the best of several rounds in ns per item (named). Data are generated
// from fixed seeds. Output: one JSON object with commit and machine.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { mergeSegments } from '../../src/arena/merge.ts';
import { bitsetCountAnd, crc32c } from '../../src/wasm/codec.ts';
import { compileEngine, createMemory, Kernels, PAGE_BYTES, staticBytes } from '../../src/wasm/kernels.ts';
import { Rng } from '../../test/support/rng.ts';
import { ANALYSIS, createOpenBuffer, keywordField, openImage, textField } from '../../test/support/segments.ts';
import * as twins from './twins.ts';

interface Case {
  readonly name: string;
  /** What one item is. */
  readonly item: string;
  readonly items: number;
  /** Result that the C twin prints, null without one. */
  readonly result: number | null;
  readonly kernel: () => void;
  readonly twin: (() => void) | null;
}

const PAGES = 8192;
const module = compileEngine();
const start = staticBytes(module);
const k = new Kernels(module, createMemory(PAGES), start, PAGES * PAGE_BYTES - start);
const wanted = process.argv[2] ?? '';
const makers: Record<string, () => Case[]> = { codec, docvalues, terms, buffer };
const cNanos = cTwins();
const results: Record<string, unknown>[] = [];
for (const [folder, make] of Object.entries(makers)) {
  if (!folder.includes(wanted.split('/')[0])) continue;
  for (const { name, item, items, result, kernel, twin } of make()) {
    if (!name.includes(wanted)) continue;
    const c = cNanos.get(name);
    check(c === undefined || result === c.result, `${name}: C twin differs`);
    const [wasm, script] = [kernel, twin].map((run) => (run ? best(run) / items : null));
    results.push({ name, item, wasm_ns: round(wasm), ts_ns: round(script), c_ns: round(c?.nanos ?? null) });
  }
}
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
process.stdout.write(
  `${JSON.stringify({ bench: 'kernels', commit, machine: `${cpus().length} x ${cpus()[0].model}, node ${process.version}`, results }, null, 1)}\n`,
);

function codec(): Case[] {
  const bytes = 4 << 20;
  const [a, b] = [1, 2].map((seed) => {
    const ptr = k.reserve(bytes, 64);
    fill(k.u8.subarray(ptr, ptr + bytes), seed);
    return ptr;
  });
  const copy = k.copyOut(a, bytes);
  const [wordsA, wordsB] = [a, b].map((ptr) => k.copyOutU32(ptr, bytes / 4));
  const crc = crc32c(k, a, bytes);
  const count = bitsetCountAnd(k, a, b, bytes * 8);
  check(crc === twins.crc32c(copy), 'crc32c');
  check(count === twins.countAnd(wordsA, wordsB), 'bitsetCountAnd');
  return [
    { name: 'codec/crc32c', item: 'byte', items: bytes, result: crc, kernel: () => crc32c(k, a, bytes), twin: () => twins.crc32c(copy) },
    {
      name: 'codec/bitsetCountAnd',
      item: 'bit',
      items: bytes * 8,
      result: count,
      kernel: () => bitsetCountAnd(k, a, b, bytes * 8),
      twin: () => twins.countAnd(wordsA, wordsB),
    },
  ];
}

function docvalues(): Case[] {
  const count = 1_000_000;
  const rng = new Rng(3);
  const values = Float64Array.from({ length: count }, () => 1.6e12 + 1000 * rng.int(0, 30_000_000));
  const docsPtr = k.copyInU32(Uint32Array.from({ length: count }, (_, docId) => docId));
  const valuesPtr = k.reserve(count * 8);
  values.forEach((value, i) => {
    k.i64[(valuesPtr >>> 3) + i] = BigInt(value);
  });
  const outPtr = k.reserve(count * 20, 64);
  const write = (): number => k.exports.docvaluesColumnWrite(0, count, docsPtr, valuesPtr, count, outPtr, outPtr + count * 20);
  check(write() > 0, 'columnWrite');
  const { base, multiplier, stored } = twins.writeColumn(values);
  check(
    Number(k.view.getBigInt64(outPtr + 8, true)) === base && Number(k.view.getBigInt64(outPtr + 16, true)) === multiplier,
    'column base',
  );
  check(k.view.getUint32(outPtr + 4, true) === stored.BYTES_PER_ELEMENT, 'column width');
  return [
    { name: 'docvalues/columnWrite', item: 'value', items: count, result: null, kernel: write, twin: () => twins.writeColumn(values) },
  ];
}

function terms(): Case[] {
  const rng = new Rng(4);
  const words = [...new Set(Array.from({ length: 100_000 }, () => rng.word(10)))].map((word) => Buffer.from(word)).sort(Buffer.compare);
  const openBuffer = createOpenBuffer('release', [keywordField('tag')], PAGES);
  openBuffer.encoder.begin(null);
  for (const word of words) openBuffer.encoder.keyword(0, word);
  openBuffer.encoder.end();
  openBuffer.add({ id: 'a', seqNo: 0, version: 1, primaryTerm: 1 });
  const segment = openImage(k, openBuffer.flush());
  const probes = Array.from({ length: 50_000 }, () => rng.pick(words));
  check(
    probes.every((probe) => segment.lookupTerm('tag', probe)?.ord === twins.lookup(words, probe)),
    'lookupTerm',
  );
  return [
    {
      name: 'terms/lookupTerm',
      item: 'term',
      items: probes.length,
      result: null,
      kernel: () => {
        for (const probe of probes) segment.lookupTerm('tag', probe);
      },
      twin: () => {
        for (const probe of probes) twins.lookup(words, probe);
      },
    },
  ];
}

function buffer(): Case[] {
  const rng = new Rng(5);
  const vocabulary = Array.from({ length: 20_000 }, () => rng.word(9));
  const texts = Array.from({ length: 5000 }, () => Array.from({ length: 100 }, () => vocabulary[rng.skewed(19_999)]).join(' '));
  const fields = [textField('body')];
  const openBuffer = createOpenBuffer('release', fields, PAGES);
  const analysis = ANALYSIS;
  const add = (): void => {
    openBuffer.reset();
    openBuffer.useMapping('bench', fields, analysis);
    texts.forEach((text, seqNo) => {
      openBuffer.encoder.begin(null);
      openBuffer.encoder.text(0, text);
      openBuffer.encoder.end();
      openBuffer.add({ id: `id${seqNo}`, seqNo, version: 1, primaryTerm: 1 });
    });
  };
  add();
  const image = openBuffer.flush().slice();
  const expected = twins.invert(texts);
  const postings = k.scoped(() => openImage(k, image).postings('body')!);
  check(postings.termCount === expected.terms && postings.sumTotalTermFreq === expected.occurrences, 'open buffer');
  const halves = [image, image].map((bytes, i) => ({ image: bytes, liveDocs: null, file: `s${i}` }));
  return [
    {
      name: 'buffer/add (encode, analyse, invert)',
      item: 'token',
      items: expected.occurrences,
      result: null,
      kernel: add,
      twin: () => twins.invert(texts),
    },
    { name: 'buffer/flush', item: 'posting', items: postings.sumDocFreq, result: null, kernel: () => openBuffer.flush(), twin: null },
    {
      name: 'buffer/merge (of two)',
      item: 'posting',
      items: postings.sumDocFreq * 2,
      result: null,
      kernel: () => mergeSegments(module, halves, PAGES),
      twin: null,
    },
  ];
}

/** The same bytes as `fill` of twins.c. */
function fill(bytes: Uint8Array, seed: number): void {
  let state = seed;
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
}

/** Nanoseconds of the fastest of at least five runs, within about a second. */
function best(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  const until = performance.now() + 1000;
  for (let round = 0; round < 5 || (performance.now() < until && round < 100); round++) {
    const from = process.hrtime.bigint();
    run();
    least = Math.min(least, Number(process.hrtime.bigint() - from));
  }
  return least;
}

/** Compiles and runs twins.c; empty where there is no gcc. */
function cTwins(): Map<string, { nanos: number; result: number }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'gannet-bench-'));
  try {
    const program = path.join(directory, 'twins');
    execFileSync('gcc', ['-O3', '-march=native', '-o', program, fileURLToPath(new URL('twins.c', import.meta.url))], { stdio: 'pipe' });
    const lines = execFileSync(program).toString().trim().split('\n');
    return new Map(
      lines.map((line) => line.split(' ')).map(([name, nanos, result]) => [name, { nanos: Number(nanos), result: Number(result) }]),
    );
  } catch {
    process.stderr.write('no gcc: without C twins\n');
    return new Map();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function round(nanos: number | null): number | null {
  return nanos === null ? null : Number(nanos.toPrecision(3));
}

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(`${what}: results differ`);
}
