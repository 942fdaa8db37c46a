// A segment whose large field is loaded by ranges of terms has the same terms, postings and positions as the whole image, and loads no other ranges.
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { mergeSegments } from '../../../src/arena/merge.ts';
import { PagedImage, readDirectory } from '../../../src/arena/paged-image.ts';
import { newSectionMemory, SectionTable } from '../../../src/arena/section-table.ts';
import { openPagedSegment, type SegmentImageReader } from '../../../src/arena/segment-reader.ts';
import type { PlanNode } from '../../../src/plan/query-plan.ts';
import { COUNT_ALL } from '../../../src/plan/query-plan.ts';
import type { WalkedTerm } from '../../../src/plan/segment.ts';
import { RANGE_BYTES } from '../../../src/wasm/generated/buffer.ts';
import { CURSOR_BYTES, NO_MORE_DOCS } from '../../../src/wasm/generated/postings.ts';
import { compileEngine, type Kernels } from '../../../src/wasm/kernels.ts';
import { postingsFlags } from '../../../src/wasm/postings.ts';
import { bitset } from '../../reference/codec.ts';
import { createKernels } from '../../support/kernels.ts';
import { Rng } from '../../support/rng.ts';
import { createOpenBuffer, openImage, textField } from '../../support/segments.ts';

const PAGES = 1024;
const POOL_BYTES = 12 << 20;
const DOCS = 4000;
const WORDS_PER_DOC = 400;
const VOCABULARY = 4000;
const ALL = { from: null, to: null };

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-ranges-'));
const files: number[] = [];
afterAll(() => {
  for (const fd of files) closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

/** An image whose field has more than one range. A tenth of its tokens are one word. */
function largeImage(postings: 'docs' | 'positions' | 'offsets', docs: number): Uint8Array {
  const rng = new Rng(5);
  const words = Array.from({ length: VOCABULARY }, (_, i) => `${rng.word(9)}${i}`);
  const tokens = Array.from({ length: 50_000 }, () => (rng.bool(0.1) ? 'often' : words[rng.skewed(VOCABULARY - 1)]));
  const buffer = createOpenBuffer('release', [textField('body', { postings }), textField('title')], PAGES);
  for (let seqNo = 0; seqNo < docs; seqNo++) {
    const first = rng.int(0, tokens.length - WORDS_PER_DOC);
    buffer.encoder.begin(null);
    buffer.encoder.text(0, tokens.slice(first, first + WORDS_PER_DOC).join(' '));
    buffer.encoder.text(1, `title ${words[seqNo % VOCABULARY]}`);
    buffer.encoder.end();
    buffer.add({ id: String(seqNo), seqNo, version: 1, primaryTerm: 1 });
  }
  return buffer.flush();
}

/** The image as a paged segment over a pool of its own. */
function openPaged(k: Kernels, image: Uint8Array, poolBytes = POOL_BYTES) {
  const file = path.join(folder, `${files.length}.seg`);
  writeFileSync(file, image);
  const fd = openSync(file, 'r');
  files.push(fd);
  const directory = readDirectory(fd, image.length, file);
  const ptr = k.reserve(directory.bytes.length, 64);
  k.u8.set(directory.bytes, ptr);
  const table = new SectionTable(newSectionMemory(1), 0);
  const firstRow = table.addRows(table.addPool(k.reserve(poolBytes, 64), poolBytes), directory.sizes);
  const damage: string[] = [];
  const paged = new PagedImage(k, table, ptr, { fd, firstRow }, { file, onDamage: (reason) => damage.push(reason) });
  const reader = openPagedSegment(paged, { id: 1, file });
  return { table, reader, damage, pinned: () => reader.pinnedBy(table.pinned()) };
}

/** Documents, freqs and positions of a term. */
function contentOf(k: Kernels, segment: SegmentImageReader, { ptr, docFreq }: WalkedTerm): number[] {
  const { exports } = k;
  const postings = segment.postings('body')!;
  return k.scoped(() => {
    const cursor = k.reserve(CURSOR_BYTES, 16);
    exports.postingsCursorOpen(cursor, postings.recordAt(ptr), docFreq, postingsFlags(postings), postings.positionsAt(ptr));
    const list: number[] = [];
    for (let doc = exports.postingsCursorNext(cursor); doc !== NO_MORE_DOCS; doc = exports.postingsCursorNext(cursor)) {
      const freq = postings.hasFreqs ? exports.postingsCursorFreq(cursor) : 1;
      list.push(doc, freq);
      if (postings.hasPositions) exports.postingsCursorStartPositions(cursor);
      for (let i = 0; postings.hasPositions && i < freq; i++) list.push(exports.postingsCursorNextPosition(cursor));
    }
    return list;
  });
}

const positionsImage = largeImage('positions', DOCS);

const rangesOf = (segment: SegmentImageReader): number => (segment.sections.find(({ kind }) => kind === 'ranges')?.bytes ?? 0) / 20;
const bytesOf = (segment: SegmentImageReader, wanted: string): number =>
  segment.sections.find(({ kind, field }) => kind === wanted && field === 'body')?.bytes ?? 0;

/** @param step  compares the content of each `step`-th term */
function expectSameTerms(k: Kernels, whole: SegmentImageReader, paged: () => SegmentImageReader, step = 1): void {
  const expected = whole.walkTerms('body', ALL, VOCABULARY * 2);
  const terms = paged().walkTerms('body', ALL, VOCABULARY * 2);
  expect(terms.length).toBe(expected.length);
  const differing = expected.filter((term, i) => {
    if (i % step !== 0) return false;
    const reader = paged();
    const found = contentOf(k, reader, terms[i]);
    reader.release();
    const content = contentOf(k, whole, term);
    return content.length !== found.length || content.some((value, at) => value !== found[at]);
  });
  expect(differing.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([]);
}

for (const postings of ['docs', 'positions', 'offsets'] as const) {
  test(`flushed and merged segments of ${postings} have the same postings by ranges`, () => {
    const k = createKernels('release', PAGES);
    const docs = postings === 'docs' ? 2 * DOCS : postings === 'positions' ? DOCS : DOCS / 2;
    const image = postings === 'positions' ? positionsImage : largeImage(postings, docs);
    const liveDocs = bitset(
      docs,
      Array.from({ length: docs }, (_, i) => i).filter((i) => i % 50 !== 0),
    );
    const merged = mergeSegments(compileEngine('release'), [{ image, liveDocs, file: 's0.seg' }], { pages: PAGES });
    for (const each of [image, merged.image])
      k.scoped(() => {
        const whole = openImage(k, each);
        expect(rangesOf(whole)).toBeGreaterThanOrEqual(2);
        expectSameTerms(k, whole, openPaged(k, each).pinned, each === image ? 3 : 1);
      });
  }, 60_000);
}

test('plans over one, several and all terms find the same documents by ranges as in the whole image', () => {
  const k = createKernels('release', PAGES);
  const whole = openImage(k, positionsImage);
  const { pinned } = openPaged(k, positionsImage);
  const rng = new Rng(9);
  const terms = whole.walkTerms('body', ALL, VOCABULARY * 2);
  const hitsOf = (reader: SegmentImageReader, plan: (reader: SegmentImageReader) => PlanNode): unknown => {
    const { docs, total } = reader.execute(plan(reader), { ...COUNT_ALL, size: 100 }, {});
    reader.release();
    return { docs: [...docs], total };
  };
  for (let round = 0; round < 30; round++) {
    const slop = rng.pick([0, 3]);
    const [from, to] = [rng.int(0, terms.length), rng.int(0, terms.length)].sort((a, b) => a - b);
    const texts = Array.from({ length: rng.int(1, 30) }, () => rng.pick(terms).bytes);
    const plans: ((reader: SegmentImageReader) => PlanNode)[] = [
      (reader) => ({ op: 'termRange', postings: reader.postings('body')!, from, to }),
      (reader) => ({ op: 'term', postings: reader.postings('body')!, term: reader.lookupTerm('body', texts[0])!, scorer: null }),
      (reader) => ({
        op: 'anyTerm',
        postings: reader.postings('body')!,
        terms: Uint32Array.from(texts.flatMap((text) => [reader.lookupTerm('body', text)!.ptr, reader.lookupTerm('body', text)!.docFreq])),
      }),
      (reader) => ({
        op: 'anyTerm',
        postings: reader.postings('body')!,
        terms: reader.matchTerms('body', { from: texts[0], to: null }, () => true),
      }),
      (reader) => ({
        op: 'phrase',
        postings: reader.postings('body')!,
        positions: ['often', Buffer.from(texts[0]).toString()].map((text, position) => ({
          position,
          terms: [reader.lookupTerm('body', Buffer.from(text))!],
        })),
        slop,
        scorer: null,
      }),
    ];
    plans.forEach((plan, i) => {
      expect(hitsOf(pinned(), plan), `round ${round}, plan ${i}`).toEqual(hitsOf(whole, plan));
    });
  }
}, 60_000);

test('a term loads the range of its postings, and a phrase that of its positions, and nothing else of the field', () => {
  const k = createKernels('release', PAGES);
  const { table, pinned } = openPaged(k, positionsImage);
  const reader = pinned();
  const terms = reader.walkTerms('body', ALL, VOCABULARY * 2);
  const rare = terms.filter(({ docFreq }) => docFreq >= 128).reduce((least, term) => (term.docFreq < least.docFreq ? term : least));
  expect(table.stats().loadedBytes).toBeLessThan(bytesOf(reader, 'terms') + 2048);
  const loadedBy = (action: () => void): number => {
    const before = table.stats().loadedBytes;
    action();
    return table.stats().loadedBytes - before;
  };
  expect(bytesOf(reader, 'postings') + bytesOf(reader, 'positions')).toBeGreaterThan(2.5 * RANGE_BYTES);
  const slack = 64 * 1024;
  expect(loadedBy(() => reader.postings('body')!.recordAt(rare.ptr))).toBeLessThan(RANGE_BYTES + slack);
  expect(loadedBy(() => reader.postings('body')!.positionsAt(rare.ptr))).toBeLessThan(RANGE_BYTES + slack);
  expect(loadedBy(() => void reader.postings('body')!.recordAt(rare.ptr))).toBe(0);
  reader.release();
});

test('a pool that has no room for all postings of a field is enough for its terms', () => {
  const k = createKernels('release', PAGES);
  const whole = openImage(k, positionsImage);
  const poolBytes = bytesOf(whole, 'terms') + Math.floor(2.2 * RANGE_BYTES);
  expect(poolBytes).toBeLessThan(bytesOf(whole, 'postings') + bytesOf(whole, 'positions'));
  const { table, pinned } = openPaged(k, positionsImage, poolBytes);
  table.setScarce();
  expectSameTerms(k, whole, pinned, 7);
  expect(table.stats().evictions).toBeGreaterThan(0);
  expect(table.stats().residentBytes).toBeLessThanOrEqual(poolBytes);
}, 60_000);

test('a damaged byte is found in the range that contains it, and other ranges stay readable', () => {
  const k = createKernels('release', PAGES);
  const image = positionsImage.slice();
  const toc = Buffer.from(image.buffer, image.byteOffset, image.length);
  for (let at = toc.readUInt32LE(20); at < image.length; at += 32)
    if (toc.readUInt32LE(at) === 3 && toc.readUInt32LE(at + 12) > RANGE_BYTES / 2) image[toc.readUInt32LE(at + 8) + 100] ^= 4;
  const { pinned, damage } = openPaged(k, image);
  const reader = pinned();
  const terms = reader.walkTerms('body', ALL, VOCABULARY * 2);
  expect(() => reader.postings('body')!.recordAt(terms[0].ptr)).toThrow(/range 0 of section postings of \[body\] at \d+: checksum differs/);
  expect(damage).toHaveLength(1);
  expect(reader.postings('body')!.recordAt(terms[terms.length - 1].ptr)).toBeGreaterThan(0);
});
