// Encodes a PlanNode tree as the records of assembly/search/node.ts in a worker's scratch region.
import type { Kernels } from '../wasm/kernels.ts';
import { WITH_FREQS, WITH_NORMS, WITH_OFFSETS, WITH_POSITIONS } from '../wasm/postings.ts';
import { distanceBox, encodedBox } from './geo-box.ts';
import type { PlanNode, TermScorer } from './query-plan.ts';
import type { SegmentColumn, SegmentPostings, TermState } from './segment.ts';

const NODE_BYTES = 112;
const SCORES = 1;
const OP = {
  none: 0,
  all: 1,
  term: 2,
  synonym: 3,
  anyTerm: 4,
  phrase: 5,
  bool: 6,
  disMax: 7,
  constant: 8,
  boost: 9,
  range: 10,
  rangeF64: 11,
  in: 12,
  inF64: 13,
  exists: 14,
  existsNorm: 15,
  bitset: 16,
  docs: 17,
  geoBox: 18,
  geoDistance: 19,
  nested: 20,
  termRange: 21,
} as const;
const SCORE_MODES = { none: 0, avg: 1, sum: 2, min: 3, max: 4 } as const;
const MAX_U64 = (1n << 64n) - 1n;

/** Offsets of the fields of a node record. */
const AT = {
  op: 0,
  flags: 4,
  children: 8,
  childCount: 12,
  cost: 16,
  a: 24,
  b: 28,
  c: 32,
  d: 36,
  norms: 40,
  normInverse: 44,
  weight: 48,
  data: 52,
  lo: 56,
  hi: 64,
  x: 72,
  y: 80,
  e: 96,
} as const;

export interface EncodedQuery {
  readonly ptr: number;
  /** Estimate of the matching documents. */
  readonly cost: number;
}

type Fields = Partial<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'norms' | 'normInverse' | 'data', number>> & {
  weight?: number;
  lo?: bigint;
  hi?: bigint;
  x?: number;
  y?: number;
};

export class QueryEncoder {
  private readonly k: Kernels;
  private readonly maxDoc: number;
  private readonly rootDocsPtr: number;
  /** The table of norms that was asked for last; mostly there is no other. */
  private lastInverse: Float32Array | null = null;
  private lastTable = 0;
  /** All tables laid out so far, from the second on. */
  private tables: Map<Float32Array, number> | null = null;

  constructor(k: Kernels, maxDoc: number, rootDocsPtr: number) {
    this.k = k;
    this.maxDoc = maxDoc;
    this.rootDocsPtr = rootDocsPtr;
  }

  /** @throws RangeError the scratch region is full */
  encode(node: PlanNode, scores: boolean): EncodedQuery {
    switch (node.op) {
      case 'matchAll':
        return this.record(OP.all, this.maxDoc, [], scores, { weight: 1 });
      case 'matchNone':
        return this.none();
      case 'term':
        return this.term(node.postings, node.term, scores ? node.scorer : null);
      case 'synonym': {
        const found = node.terms.filter((term) => term.docFreq > 0);
        if (found.length === 0) return this.none();
        if (found.length === 1) return this.term(node.postings, found[0], scores ? node.scorer : null);
        const terms = found.map((term) => this.term(node.postings, term, null));
        return this.record(OP.synonym, sumOfCosts(terms), terms, scores, this.scoring(node.postings, scores ? node.scorer : null));
      }
      case 'anyTerm': {
        const { terms } = node;
        if (terms.length === 0) return this.none();
        if (terms.length === 2) return this.term(node.postings, { ptr: terms[0], docFreq: terms[1] }, null);
        let docFreqs = 0;
        for (let i = 1; i < terms.length; i += 2) docFreqs += terms[i];
        const fields = { a: postingsFlags(node.postings), c: terms.length / 2, data: this.k.copyInU32(terms) };
        return this.record(OP.anyTerm, Math.min(docFreqs, this.maxDoc), [], false, fields);
      }
      case 'termRange': {
        const to = Math.min(node.to, node.postings.termCount);
        if (node.from >= to) return this.none();
        const fields = { a: postingsFlags(node.postings), c: node.from, d: to, data: node.postings.ptr };
        return this.record(OP.termRange, Math.min((to - node.from) * 32, this.maxDoc), [], false, fields);
      }
      case 'phrase':
        return this.phrase(node, scores);
      case 'bool':
        return this.bool(node, scores);
      case 'disMax': {
        if (node.clauses.length === 0) return this.none();
        const clauses = node.clauses.map((clause) => this.encode(clause, scores));
        return this.record(OP.disMax, sumOfCosts(clauses), clauses, scores, { weight: node.tieBreaker });
      }
      case 'constantScore': {
        const child = this.encode(node.child, false);
        return this.record(OP.constant, child.cost, [child], scores, { weight: node.score });
      }
      case 'boost': {
        const child = this.encode(node.child, scores);
        return this.record(OP.boost, child.cost, [child], scores, { weight: node.factor });
      }
      case 'rangeI64':
        return this.range(node.column, node.min, node.max);
      case 'rangeOrd':
        return this.range(node.column, BigInt(Math.ceil(node.min)), BigInt(Math.floor(node.max)));
      case 'rangeF64':
        return this.record(OP.rangeF64, node.column.docCount, [], false, { data: node.column.ptr, x: node.min, y: node.max });
      case 'inI64':
        return this.inIntegers(node.column, node.values);
      case 'inF64': {
        const list = this.k.reserve(node.values.length * 8);
        this.k.f64.set(node.values, list >>> 3);
        return this.record(OP.inF64, node.column.docCount, [], false, { data: node.column.ptr, c: node.values.length, d: list });
      }
      case 'existsColumn':
        return this.record(OP.exists, node.column.docCount, [], false, { data: node.column.ptr });
      case 'existsNorm':
        if (!node.postings.normsPtr) return this.none();
        return this.record(OP.existsNorm, node.postings.docCount, [], false, { data: node.postings.normsPtr });
      case 'bitset':
        return this.record(OP.bitset, this.maxDoc >>> 1, [], false, { data: node.ptr });
      case 'docs': {
        const list = this.k.copyInU32(node.docs);
        let scoresPtr = 0;
        if (scores && node.scores) {
          scoresPtr = this.k.reserve(node.scores.length * 4);
          this.k.f32.set(node.scores, scoresPtr >>> 2);
        }
        return this.record(OP.docs, node.docs.length, [], scores, { data: list, c: node.docs.length, d: scoresPtr });
      }
      case 'geoBox': {
        const box = encodedBox(node.top, node.left, node.bottom, node.right);
        return this.record(OP.geoBox, node.column.docCount, [], false, { data: node.column.ptr, ...box });
      }
      case 'geoDistance': {
        const box = distanceBox(node.lat, node.lon, node.meters);
        const fields = { data: node.column.ptr, x: node.lat, y: node.lon, lo: bitsOfDouble(node.meters), ...box };
        return this.record(OP.geoDistance, node.column.docCount, [], false, fields);
      }
      case 'nested': {
        const scored = scores && node.scoreMode !== 'none';
        const child = this.encode(node.child, scored);
        const parents = node.parentDocsPtr || this.rootDocsPtr;
        // A segment without a bitset of roots has no nested documents at all.
        if (!parents || !node.childDocsPtr) return this.none();
        const fields = { data: node.childDocsPtr, c: parents, e: SCORE_MODES[node.scoreMode] };
        return this.record(OP.nested, Math.min(child.cost, this.maxDoc), [child], scored, fields);
      }
    }
  }

  private none(): EncodedQuery {
    return this.record(OP.none, 0, [], false, {});
  }

  private term(postings: SegmentPostings, term: Pick<TermState, 'ptr' | 'docFreq'>, scorer: TermScorer | null): EncodedQuery {
    if (term.docFreq === 0) return this.none();
    const fields = {
      a: postingsFlags(postings),
      b: term.docFreq,
      c: term.ptr,
      d: postings.positionsPtr,
      ...this.scoring(postings, scorer),
    };
    return this.record(OP.term, term.docFreq, [], scorer !== null, fields);
  }

  private scoring(postings: SegmentPostings, scorer: TermScorer | null): Fields {
    if (!scorer) return {};
    return { norms: postings.normsPtr, normInverse: this.tableOf(scorer.normInverse), weight: scorer.weight };
  }

  private tableOf(normInverse: Float32Array): number {
    if (normInverse === this.lastInverse) return this.lastTable;
    let ptr = this.tables?.get(normInverse);
    if (ptr === undefined) {
      ptr = this.k.reserve(256 * 4);
      this.k.f32.set(normInverse, ptr >>> 2);
      if (this.lastInverse !== null) {
        this.tables ??= new Map([[this.lastInverse, this.lastTable]]);
        this.tables.set(normInverse, ptr);
      }
    }
    this.lastInverse = normInverse;
    this.lastTable = ptr;
    return ptr;
  }

  private phrase(node: Extract<PlanNode, { op: 'phrase' }>, scores: boolean): EncodedQuery {
    const { positions, postings } = node;
    if (positions.length === 0 || positions.some((place) => place.terms.every((term) => term.docFreq === 0))) return this.none();
    const children: EncodedQuery[] = [];
    const places = this.k.reserve(positions.length * 12);
    let cost = this.maxDoc;
    for (const [i, place] of positions.entries()) {
      const terms = place.terms.filter((term) => term.docFreq > 0).map((term) => this.term(postings, term, null));
      this.k.u32.set([place.position, children.length, terms.length], (places + i * 12) >>> 2);
      children.push(...terms);
      cost = Math.min(cost, sumOfCosts(terms));
    }
    const fields = { a: positions.length, b: node.slop, data: places, ...this.scoring(postings, scores ? node.scorer : null) };
    return this.record(OP.phrase, cost, children, scores, fields);
  }

  private bool(node: Extract<PlanNode, { op: 'bool' }>, scores: boolean): EncodedQuery {
    const must = node.must.map((clause) => this.encode(clause, scores));
    const filter = node.filter.map((clause) => this.encode(clause, false));
    const should = node.should.map((clause) => this.encode(clause, scores));
    const mustNot = node.mustNot.map((clause) => this.encode(clause, false));
    const least = node.minimumShouldMatch;
    if (least > should.length) return this.none();
    const required = [...must, ...filter].sort((a, b) => a.cost - b.cost);
    let cost = this.maxDoc;
    if (required.length) cost = required[0].cost;
    else if (should.length) cost = Math.min(cost, sumOfCosts(should));
    // Optional clauses that are not scored change nothing.
    const optional = scores || least > 0 || required.length === 0 ? should : [];
    const children = [...required, ...optional, ...mustNot, ...must];
    const counts = { a: required.length, b: optional.length, c: mustNot.length, d: must.length, e: least };
    return this.record(OP.bool, cost, children, scores, counts);
  }

  /** @param min, max raw values, both included */
  private range(column: SegmentColumn, min: bigint, max: bigint): EncodedQuery {
    const { base, multiplier } = storedScale(this.k, column);
    const lo = min <= base ? 0n : ceilDivide(min - base, multiplier);
    let hi = max < base ? -1n : (max - base) / multiplier;
    if (hi > MAX_U64) hi = MAX_U64;
    if (lo > hi) return this.none();
    return this.record(OP.range, column.docCount, [], false, { data: column.ptr, lo, hi });
  }

  private inIntegers(column: SegmentColumn, values: BigInt64Array): EncodedQuery {
    const { base, multiplier } = storedScale(this.k, column);
    const stored = [...values].map((value) => value - base).filter((off) => off >= 0n && off % multiplier === 0n);
    if (stored.length === 0) return this.none();
    const list = this.k.reserve(stored.length * 8);
    for (const [i, off] of stored.entries()) this.k.view.setBigUint64(list + i * 8, off / multiplier, true);
    return this.record(OP.in, column.docCount, [], false, { data: column.ptr, c: stored.length, d: list });
  }

  private record(op: number, cost: number, children: readonly EncodedQuery[], scores: boolean, fields: Fields): EncodedQuery {
    const { k } = this;
    const ptr = k.reserve(NODE_BYTES, 16);
    k.u32.fill(0, ptr >>> 2, (ptr + NODE_BYTES) >>> 2);
    const words = k.u32;
    const word = (off: number, value: number | undefined): void => {
      if (value) words[(ptr + off) >>> 2] = value;
    };
    word(AT.op, op);
    word(AT.flags, scores ? SCORES : 0);
    word(AT.cost, Math.min(cost, 0xffffffff));
    if (children.length) {
      const list = k.reserve(children.length * 4);
      for (const [i, child] of children.entries()) words[(list >>> 2) + i] = child.ptr;
      word(AT.children, list);
      word(AT.childCount, children.length);
    }
    word(AT.a, fields.a);
    word(AT.b, fields.b);
    word(AT.c, fields.c);
    word(AT.d, fields.d);
    word(AT.e, fields.e);
    word(AT.norms, fields.norms);
    word(AT.normInverse, fields.normInverse);
    word(AT.data, fields.data);
    if (fields.weight !== undefined) k.f32[(ptr + AT.weight) >>> 2] = fields.weight;
    if (fields.lo !== undefined) k.view.setBigUint64(ptr + AT.lo, fields.lo, true);
    if (fields.hi !== undefined) k.view.setBigUint64(ptr + AT.hi, fields.hi, true);
    if (fields.x !== undefined) k.f64[(ptr + AT.x) >>> 3] = fields.x;
    if (fields.y !== undefined) k.f64[(ptr + AT.y) >>> 3] = fields.y;
    return { ptr, cost };
  }
}

function postingsFlags(postings: SegmentPostings): number {
  return (
    (postings.hasFreqs ? WITH_FREQS : 0) |
    (postings.hasPositions ? WITH_POSITIONS : 0) |
    (postings.hasOffsets ? WITH_OFFSETS : 0) |
    (postings.normsPtr ? WITH_NORMS : 0)
  );
}

/** How an integer column turns stored values into raw ones. A column whose values are all equal may have multiplier 0. */
function storedScale(k: Kernels, column: SegmentColumn): { base: bigint; multiplier: bigint } {
  const multiplier = k.view.getBigInt64(column.ptr + 16, true);
  return { base: k.view.getBigInt64(column.ptr + 8, true), multiplier: multiplier > 0n ? multiplier : 1n };
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

function sumOfCosts(nodes: readonly EncodedQuery[]): number {
  return nodes.reduce((sum, node) => sum + node.cost, 0);
}

function bitsOfDouble(value: number): bigint {
  return new BigUint64Array(new Float64Array([value]).buffer)[0];
}
