// Indexing of a text corpus on one thread: read, parse, analyse (standard), invert, flush at a memory limit, merge to one segment.
//   npm run bench:indexing [-- --corpus FILE.ndjson] [--limit N] [--ram MB] [--field body] [--out FILE] [--no-rival] [--timeout 900]
// Corpus: NDJSON lines with `id` and the text field, by default prose.ndjson of `npm run bench:data`. No log, no HTTP: compare with the
// `add_s` of Lucene's harness (which stores the id and has no id index). Output: JSON with times in seconds and sizes; the result is
// checked (the merged segment's documents, and its terms, postings and tokens against Lucene's) before ratios are printed.
// Lucene (bench/rivals) indexes the same documents right after, unless --no-rival is given, and is stopped after --timeout seconds. Compare CPU
// seconds (`cpu_ratio`) where other work runs on the machine.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chainBlob, words } from '../../src/analysis/blob.ts';
import { type MergeInput, mergeSlices } from '../../src/arena/merge.ts';
import { OpenBuffer } from '../../src/arena/open-buffer.ts';
import { openSegment } from '../../src/arena/segment-reader.ts';
import type { FieldSpec } from '../../src/mapping/core/document-sink.ts';
import { StageId } from '../../src/wasm/generated/analysis.ts';
import { compileEngine, createMemory, Kernels, staticBytes } from '../../src/wasm/kernels.ts';
import { corpusPath, requireCorpus } from '../data/corpus.ts';
import { runScript } from '../rivals/run-script.ts';

const { values } = parseArgs({
  options: {
    corpus: { type: 'string', default: corpusPath('prose.ndjson') },
    limit: { type: 'string' },
    ram: { type: 'string', default: '256' },
    field: { type: 'string', default: 'body' },
    out: { type: 'string' },
    'no-rival': { type: 'boolean', default: false },
    timeout: { type: 'string', default: '900' },
  },
});
const file = values.corpus;
requireCorpus(file, 'prose');
const limit = Number(values.limit ?? Number.POSITIVE_INFINITY);
const maxBytes = Number(values.ram) * 2 ** 20;
const analyzer = {
  kernelBlob: chainBlob([{ id: StageId.STANDARD, config: words([255, 1]) }]),
  isKernelChain: true,
  kernelInput: (text: string) => Buffer.from(text),
};
const FIELDS: FieldSpec[] = [
  { name: 'body', postings: 'positions', norms: true, analyzer: 'standard', positionIncrementGap: 100, column: 'none' },
];

const module = compileEngine();
const buffer = new OpenBuffer(module, maxBytes);
const segments: (MergeInput & { readonly image: Uint8Array })[] = [];
const times = { read: 0, encode: 0, add: 0, flush: 0, merge: 0 };
let documents = 0;
const begin = performance.now();
useMapping();
for (const line of lines(file)) {
  const t0 = performance.now();
  const { id, [values.field]: text } = JSON.parse(line.toString()) as Record<string, string>;
  const t1 = performance.now();
  const { encoder } = buffer;
  encoder.begin(null);
  encoder.text(0, text);
  encoder.end();
  const t2 = performance.now();
  buffer.add({ id, seqNo: documents, version: 1, primaryTerm: 1 });
  const t3 = performance.now();
  times.read += t1 - t0;
  times.encode += t2 - t1;
  times.add += t3 - t2;
  if (buffer.isFull) flush();
  if (++documents >= limit) break;
}
flush();
const segmentCount = segments.length;
const image = mergeAll();
const total = performance.now() - begin;
const counts = check(image);
if (values.out) writeFileSync(values.out, image);
const seconds = (ms: number): number => Math.round(ms) / 1000;
const { user, system } = process.cpuUsage();
const cpuSeconds = (user + system) / 1e6;
process.stdout.write(
  `${JSON.stringify({
    bench: 'indexing/prose',
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim(),
    machine: `${cpus().length} x ${cpus()[0].model}, node ${process.version}`,
    documents,
    total_s: seconds(total),
    cpu_s: seconds(cpuSeconds * 1000),
    docs_per_s: Math.round((documents / total) * 1000),
    times_s: Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, seconds(ms)])),
    flushed_segments: segmentCount,
    index_mb: Math.round(image.length / 1e5) / 10,
    rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
  })}\n`,
);

if (!values['no-rival']) compareWithLucene();

/** Lucene's `add_s` and `merge_s` are its time with reading and parsing, as ours is. */
function compareWithLucene(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-lucene-'));
  try {
    const corpus = Number.isFinite(limit) ? firstLines(folder) : path.resolve(file);
    const args = ['index', corpus, path.join(folder, 'index')];
    const { problem, output } = runScript('lucene', args, Number(values.timeout) * 1000);
    if (problem) {
      process.stdout.write(`lucene skipped: ${problem}\n`);
      return;
    }
    report(new Map(output.split('\n').map((line): [string, number] => [line.split('\t')[1], Number(line.split('\t')[2])])));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The documents of this run as a file. */
function firstLines(folder: string): string {
  const name = path.join(folder, 'corpus.ndjson');
  const fd = openSync(name, 'w');
  let left = documents;
  for (const line of lines(file)) {
    if (left-- === 0) break;
    writeSync(fd, line);
    writeSync(fd, '\n');
  }
  closeSync(fd);
  return name;
}

/** @throws Error: Lucene's index holds other documents, terms, postings or tokens */
function report(lucene: ReadonlyMap<string, number>): void {
  const of = (name: string): number => lucene.get(name) ?? Number.NaN;
  for (const [name, count] of Object.entries(counts)) {
    if (of(name) !== count) throw new Error(`${count} ${name}, of Lucene ${of(name)}`);
  }
  const round = (value: number): number => Number(value.toFixed(2));
  process.stdout.write(
    `${JSON.stringify({
      lucene_s: round(of('add_s') + of('merge_s')),
      lucene_cpu_s: of('cpu_s'),
      lucene_mb: of('size_mb'),
      checked: Object.keys(counts),
      time_ratio: round(total / 1000 / (of('add_s') + of('merge_s'))),
      cpu_ratio: round(cpuSeconds / of('cpu_s')),
      size_ratio: round(image.length / 1e6 / of('size_mb')),
    })}\n`,
  );
}

function useMapping(): void {
  buffer.useMapping('prose', FIELDS, { analyzer: () => analyzer });
}

function flush(): void {
  if (buffer.docCount === 0) return;
  const from = performance.now();
  segments.push({ image: buffer.flush().slice(), liveDocs: null, file: `s${segments.length}` });
  buffer.reset();
  useMapping();
  times.flush += performance.now() - from;
}

function mergeAll(): Uint8Array {
  if (segments.length === 1) return segments[0].image;
  const from = performance.now();
  const slices = mergeSlices(module, segments);
  for (;;) {
    const { done, value } = slices.next();
    if (!done) continue;
    times.merge = performance.now() - from;
    return value.image;
  }
}

/** Opens the segment. @returns its counts under the names of Lucene's harness @throws Error documents are missing, or a section is corrupt */
function check(bytes: Uint8Array): Readonly<Record<'docs' | 'terms' | 'postings' | 'tokens', number>> {
  const start = staticBytes(module) + 65536;
  const kernels = new Kernels(module, createMemory(Math.ceil((start + bytes.length) / 65536) + 32), start - 65536, 65536);
  kernels.u8.set(bytes, start);
  const segment = openSegment(kernels, start, bytes.length, { id: 1, file: 'merged', verify: true });
  const postings = segment.postings('body');
  if (segment.maxDoc !== documents || !postings) throw new Error(`segment has ${segment.maxDoc} of ${documents} documents`);
  process.stderr.write(`${segment.sections.map(({ kind, field, bytes: size }) => `${kind} ${field ?? ''} ${size}`).join('\n')}\n`);
  return { docs: documents, terms: postings.termCount, postings: postings.sumDocFreq, tokens: postings.sumTotalTermFreq };
}

/** Lines of a file as views that are valid until the next one. */
function* lines(name: string): Generator<Buffer> {
  const fd = openSync(name, 'r');
  let chunk = Buffer.allocUnsafe(4 << 20);
  let start = 0;
  let end = 0;
  for (;;) {
    const at = chunk.subarray(0, end).indexOf(10, start);
    if (at >= 0) {
      yield chunk.subarray(start, at);
      start = at + 1;
      continue;
    }
    if (start === 0 && end === chunk.length) {
      const grown = Buffer.allocUnsafe(chunk.length * 2);
      chunk.copy(grown);
      chunk = grown;
    }
    chunk.copyWithin(0, start, end);
    end -= start;
    start = 0;
    const read = readSync(fd, chunk, end, chunk.length - end, null);
    if (read === 0) {
      if (end > 0) yield chunk.subarray(0, end);
      return;
    }
    end += read;
  }
}
