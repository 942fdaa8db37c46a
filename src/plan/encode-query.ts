// Encodes a PlanNode tree as the records of assembly/search/node.ts in a worker's scratch region.
// One class with a short method per operation, since nodes are encoded recursively.
import { pushAll } from '../common/large-lists.ts';
import { BLOCK_DOCS } from '../wasm/generated/postings.ts';
import {
  AnyTermNode,
  BoolNode,
  BoostNode,
  ColumnNode,
  ConstantNode,
  DisMaxNode,
  DocsNode,
  GeoBoxNode,
  GeoDistanceNode,
  MaterializedNode,
  NESTED_AVG,
  NESTED_MAX,
  NESTED_MIN,
  NESTED_NONE,
  NESTED_SUM,
  NestedNode,
  NODE_SCORES,
  Node,
  NormsNode,
  OP_ALL,
  OP_ANY_TERM,
  OP_BITSET,
  OP_BOOL,
  OP_BOOST,
  OP_CONSTANT,
  OP_DIS_MAX,
  OP_DOCS,
  OP_EXISTS,
  OP_EXISTS_NORM,
  OP_GEO_BOX,
  OP_GEO_DISTANCE,
  OP_IN,
  OP_IN_F64,
  OP_NESTED,
  OP_NONE,
  OP_PHRASE,
  OP_RANGE,
  OP_RANGE_F64,
  OP_SYNONYM,
  OP_TERM,
  OP_TERM_RANGE,
  PhraseNode,
  PlaceTerms,
  RangeF64Node,
  RangeNode,
  SetNode,
  SimilarityNode,
  TermNode,
  TermRangeNode,
} from '../wasm/generated/search.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { postingsFlags } from '../wasm/postings.ts';
import { type RecordLayout, setF32, setF64, setU32, setU64 } from '../wasm/records.ts';
import { distanceBox, encodedBox, writeBox } from './geo-box.ts';
import type { PlanNode, TermScorer } from './query-plan.ts';
import type { SegmentColumn, SegmentPostings, TermPairs, TermState } from './segment.ts';
import { storedRange, storedValues } from './stored-integers.ts';

const SCORE_MODES = { none: NESTED_NONE, avg: NESTED_AVG, sum: NESTED_SUM, min: NESTED_MIN, max: NESTED_MAX } as const;
const NO_CHILDREN: readonly EncodedQuery[] = [];

export interface EncodedQuery {
  readonly ptr: number;
  /** Estimate of the matching documents. */
  readonly cost: number;
}

type PlanOf<Op extends PlanNode['op']> = Extract<PlanNode, { op: Op }>;

export class QueryEncoder {
  readonly #k: Kernels;
  readonly #maxDoc: number;
  readonly #rootDocsPtr: number;
  /** The table of norms used last; most queries have only one. */
  #lastInverse: Float32Array | null = null;
  #lastTable = 0;
  /** All tables written so far, from the second on. */
  #tables: Map<Float32Array, number> | null = null;

  constructor(k: Kernels, maxDoc: number, rootDocsPtr: number) {
    this.#k = k;
    this.#maxDoc = maxDoc;
    this.#rootDocsPtr = rootDocsPtr;
  }

  /** @throws RangeError the scratch region is full */
  encode(node: PlanNode, scores: boolean): EncodedQuery {
    switch (node.op) {
      case 'matchAll':
        return this.#constant(OP_ALL, this.#maxDoc, NO_CHILDREN, scores, 1);
      case 'matchNone':
        return this.#none();
      case 'term':
        return this.#term(node.postings, node.term, scores ? node.scorer : null);
      case 'synonym':
        return this.#synonym(node, scores ? node.scorer : null);
      case 'anyTerm':
        return this.#anyTerm(node);
      case 'termRange':
        return this.#termRange(node);
      case 'phrase':
        return this.#phrase(node, scores);
      case 'bool':
        return this.#bool(node, scores);
      case 'disMax':
        return this.#disMax(node, scores);
      case 'constantScore': {
        const child = this.encode(node.child, false);
        return this.#constant(OP_CONSTANT, child.cost, [child], scores, node.score);
      }
      case 'boost': {
        const child = this.encode(node.child, scores);
        const encoded = this.#record(OP_BOOST, BoostNode, child.cost, [child], scores);
        setF32(this.#k, encoded.ptr, BoostNode.factor, node.factor);
        return encoded;
      }
      case 'rangeI64':
        return this.#range(node.column, node.min, node.max);
      case 'rangeOrd':
        return this.#range(node.column, BigInt(Math.ceil(node.min)), BigInt(Math.floor(node.max)));
      case 'rangeF64': {
        const encoded = this.#column(OP_RANGE_F64, RangeF64Node, node.column);
        setF64(this.#k, encoded.ptr, RangeF64Node.lo, node.min);
        setF64(this.#k, encoded.ptr, RangeF64Node.hi, node.max);
        return encoded;
      }
      case 'inI64':
        return this.#inIntegers(node.column, node.values);
      case 'inF64': {
        const list = this.#k.reserve(node.values.length * 8);
        this.#k.f64.set(node.values, list >>> 3);
        return this.#set(OP_IN_F64, node.column, list, node.values.length);
      }
      case 'existsColumn':
        return this.#column(OP_EXISTS, ColumnNode, node.column);
      case 'existsNorm': {
        if (!node.postings.hasNorms) return this.#none();
        const encoded = this.#record(OP_EXISTS_NORM, NormsNode, node.postings.docCount, NO_CHILDREN, false);
        setU32(this.#k, encoded.ptr, NormsNode.norms, node.postings.normsPtr);
        return encoded;
      }
      case 'bitset': {
        const encoded = this.#record(OP_BITSET, MaterializedNode, this.#maxDoc >>> 1, NO_CHILDREN, false);
        setU32(this.#k, encoded.ptr, MaterializedNode.bitset, node.ptr);
        return encoded;
      }
      case 'docs':
        return this.#docs(node, scores);
      case 'geoBox': {
        const encoded = this.#column(OP_GEO_BOX, GeoBoxNode, node.column);
        writeBox(this.#k, encoded.ptr, encodedBox(node.top, node.left, node.bottom, node.right));
        return encoded;
      }
      case 'geoDistance': {
        const encoded = this.#column(OP_GEO_DISTANCE, GeoDistanceNode, node.column);
        writeBox(this.#k, encoded.ptr, distanceBox(node.lat, node.lon, node.meters));
        setF64(this.#k, encoded.ptr, GeoDistanceNode.latitude, node.lat);
        setF64(this.#k, encoded.ptr, GeoDistanceNode.longitude, node.lon);
        setF64(this.#k, encoded.ptr, GeoDistanceNode.meters, node.meters);
        return encoded;
      }
      case 'nested':
        return this.#nested(node, scores);
    }
  }

  #none(): EncodedQuery {
    return this.#record(OP_NONE, Node, 0, NO_CHILDREN, false);
  }

  #constant(op: number, cost: number, children: readonly EncodedQuery[], scores: boolean, score: number): EncodedQuery {
    const encoded = this.#record(op, ConstantNode, cost, children, scores);
    setF32(this.#k, encoded.ptr, ConstantNode.score, score);
    return encoded;
  }

  /** @param withPositions  the term's positions are read: they may have to be loaded */
  #term(
    postings: SegmentPostings,
    term: Pick<TermState, 'ptr' | 'docFreq'>,
    scorer: TermScorer | null,
    withPositions = false,
  ): EncodedQuery {
    if (term.docFreq === 0) return this.#none();
    const encoded = this.#record(OP_TERM, TermNode, term.docFreq, NO_CHILDREN, scorer !== null);
    const { ptr } = encoded;
    setU32(this.#k, ptr, TermNode.postingsFlags, postingsFlags(postings));
    setU32(this.#k, ptr, TermNode.docFreq, term.docFreq);
    setU32(this.#k, ptr, TermNode.record, postings.recordAt(term.ptr));
    // Short records contain their positions.
    if (withPositions && term.docFreq >= BLOCK_DOCS) setU32(this.#k, ptr, TermNode.positions, postings.positionsAt(term.ptr));
    this.#similarity(ptr, postings, scorer);
    return encoded;
  }

  #synonym(node: PlanOf<'synonym'>, scorer: TermScorer | null): EncodedQuery {
    const found = node.terms.filter((term) => term.docFreq > 0);
    if (found.length === 0) return this.#none();
    if (found.length === 1) return this.#term(node.postings, found[0], scorer);
    const terms = found.map((term) => this.#term(node.postings, term, null));
    const encoded = this.#record(OP_SYNONYM, SimilarityNode, sumOfCosts(terms), terms, scorer !== null);
    this.#similarity(encoded.ptr, node.postings, scorer);
    return encoded;
  }

  #anyTerm(node: PlanOf<'anyTerm'>): EncodedQuery {
    const { terms } = node;
    if (terms.length === 0) return this.#none();
    if (terms.length === 2) return this.#term(node.postings, { ptr: terms[0], docFreq: terms[1] }, null);
    let docFreqs = 0;
    for (let i = 1; i < terms.length; i += 2) docFreqs += terms[i];
    const encoded = this.#record(OP_ANY_TERM, AnyTermNode, Math.min(docFreqs, this.#maxDoc), NO_CHILDREN, false);
    setU32(this.#k, encoded.ptr, AnyTermNode.postingsFlags, postingsFlags(node.postings));
    setU32(this.#k, encoded.ptr, AnyTermNode.terms, this.#records(terms, node.postings));
    setU32(this.#k, encoded.ptr, AnyTermNode.termCount, terms.length / 2);
    return encoded;
  }

  /** Copies pairs into the scratch, with addresses instead of places. */
  #records(terms: TermPairs, postings: SegmentPostings): number {
    const ptr = this.#k.copyInU32(terms);
    postings.relocate(this.#k.u32.subarray(ptr >>> 2, (ptr >>> 2) + terms.length));
    return ptr;
  }

  #termRange(node: PlanOf<'termRange'>): EncodedQuery {
    const to = Math.min(node.to, node.postings.termCount);
    if (node.from >= to) return this.#none();
    const encoded = this.#record(OP_TERM_RANGE, TermRangeNode, Math.min((to - node.from) * 32, this.#maxDoc), NO_CHILDREN, false);
    setU32(this.#k, encoded.ptr, TermRangeNode.postingsFlags, postingsFlags(node.postings));
    setU32(this.#k, encoded.ptr, TermRangeNode.dictionary, node.postings.ptr);
    setU32(this.#k, encoded.ptr, TermRangeNode.pieces, this.#k.copyInU32(node.postings.pieces(node.from, to)));
    setU32(this.#k, encoded.ptr, TermRangeNode.fromOrd, node.from);
    setU32(this.#k, encoded.ptr, TermRangeNode.toOrd, to);
    return encoded;
  }

  #disMax(node: PlanOf<'disMax'>, scores: boolean): EncodedQuery {
    if (node.clauses.length === 0) return this.#none();
    const clauses = node.clauses.map((clause) => this.encode(clause, scores));
    const encoded = this.#record(OP_DIS_MAX, DisMaxNode, sumOfCosts(clauses), clauses, scores);
    setF32(this.#k, encoded.ptr, DisMaxNode.tieBreaker, node.tieBreaker);
    return encoded;
  }

  #docs(node: PlanOf<'docs'>, scores: boolean): EncodedQuery {
    const encoded = this.#record(OP_DOCS, DocsNode, node.docs.length, NO_CHILDREN, scores);
    setU32(this.#k, encoded.ptr, DocsNode.docs, this.#k.copyInU32(node.docs));
    setU32(this.#k, encoded.ptr, DocsNode.docCount, node.docs.length);
    if (scores && node.scores) {
      const scoresPtr = this.#k.reserve(node.scores.length * 4);
      this.#k.f32.set(node.scores, scoresPtr >>> 2);
      setU32(this.#k, encoded.ptr, DocsNode.scores, scoresPtr);
    }
    return encoded;
  }

  #nested(node: PlanOf<'nested'>, scores: boolean): EncodedQuery {
    const scored = scores && node.scoreMode !== 'none';
    const child = this.encode(node.child, scored);
    const parents = node.parentDocsPtr || this.#rootDocsPtr;
    // A segment without a bitset of roots has no nested documents at all.
    if (!parents || !node.childDocsPtr) return this.#none();
    const encoded = this.#record(OP_NESTED, NestedNode, Math.min(child.cost, this.#maxDoc), [child], scored);
    setU32(this.#k, encoded.ptr, NestedNode.childDocs, node.childDocsPtr);
    setU32(this.#k, encoded.ptr, NestedNode.parentDocs, parents);
    setU32(this.#k, encoded.ptr, NestedNode.scoreMode, SCORE_MODES[node.scoreMode]);
    return encoded;
  }

  #similarity(ptr: number, postings: SegmentPostings, scorer: TermScorer | null): void {
    if (!scorer) return;
    setU32(this.#k, ptr, SimilarityNode.norms, postings.normsPtr);
    setU32(this.#k, ptr, SimilarityNode.normInverse, this.#tableOf(scorer.normInverse));
    setF32(this.#k, ptr, SimilarityNode.weight, scorer.weight);
  }

  #tableOf(normInverse: Float32Array): number {
    if (normInverse === this.#lastInverse) return this.#lastTable;
    let ptr = this.#tables?.get(normInverse);
    if (ptr === undefined) {
      ptr = this.#k.reserve(256 * 4);
      this.#k.f32.set(normInverse, ptr >>> 2);
      if (this.#lastInverse !== null) {
        this.#tables ??= new Map([[this.#lastInverse, this.#lastTable]]);
        this.#tables.set(normInverse, ptr);
      }
    }
    this.#lastInverse = normInverse;
    this.#lastTable = ptr;
    return ptr;
  }

  #phrase(node: PlanOf<'phrase'>, scores: boolean): EncodedQuery {
    const { positions, postings } = node;
    if (positions.length === 0 || positions.some((place) => place.terms.every((term) => term.docFreq === 0))) return this.#none();
    const children: EncodedQuery[] = [];
    const places = this.#k.reserve(positions.length * PlaceTerms.sizeof);
    let cost = this.#maxDoc;
    for (const [i, place] of positions.entries()) {
      const terms = place.terms.filter((term) => term.docFreq > 0).map((term) => this.#term(postings, term, null, true));
      const at = places + i * PlaceTerms.sizeof;
      setU32(this.#k, at, PlaceTerms.place, place.position);
      setU32(this.#k, at, PlaceTerms.firstChild, children.length);
      setU32(this.#k, at, PlaceTerms.childCount, terms.length);
      pushAll(children, terms);
      cost = Math.min(cost, sumOfCosts(terms));
    }
    const encoded = this.#record(OP_PHRASE, PhraseNode, cost, children, scores);
    setU32(this.#k, encoded.ptr, PhraseNode.places, places);
    setU32(this.#k, encoded.ptr, PhraseNode.placeCount, positions.length);
    setU32(this.#k, encoded.ptr, PhraseNode.slop, node.slop);
    this.#similarity(encoded.ptr, postings, scores ? node.scorer : null);
    return encoded;
  }

  #bool(node: PlanOf<'bool'>, scores: boolean): EncodedQuery {
    const must = node.must.map((clause) => this.encode(clause, scores));
    const filter = node.filter.map((clause) => this.encode(clause, false));
    const should = node.should.map((clause) => this.encode(clause, scores));
    const mustNot = node.mustNot.map((clause) => this.encode(clause, false));
    const least = node.minimumShouldMatch;
    if (least > should.length) return this.#none();
    const required = [...must, ...filter].sort((a, b) => a.cost - b.cost);
    let cost = this.#maxDoc;
    if (required.length) cost = required[0].cost;
    else if (should.length) cost = Math.min(cost, sumOfCosts(should));
    // Optional clauses that neither score nor must match have no effect.
    const optional = scores || least > 0 || required.length === 0 ? should : [];
    const children = [...required, ...optional, ...mustNot, ...must];
    const encoded = this.#record(OP_BOOL, BoolNode, cost, children, scores);
    setU32(this.#k, encoded.ptr, BoolNode.required, required.length);
    setU32(this.#k, encoded.ptr, BoolNode.optional, optional.length);
    setU32(this.#k, encoded.ptr, BoolNode.prohibited, mustNot.length);
    setU32(this.#k, encoded.ptr, BoolNode.scored, must.length);
    setU32(this.#k, encoded.ptr, BoolNode.minimumShouldMatch, least);
    return encoded;
  }

  /** @param min, max raw values, both included */
  #range(column: SegmentColumn, min: bigint, max: bigint): EncodedQuery {
    const { lo, hi } = storedRange(this.#k, column, min, max);
    if (lo > hi) return this.#none();
    const encoded = this.#column(OP_RANGE, RangeNode, column);
    setU64(this.#k, encoded.ptr, RangeNode.lo, lo);
    setU64(this.#k, encoded.ptr, RangeNode.hi, hi);
    return encoded;
  }

  #inIntegers(column: SegmentColumn, values: BigInt64Array): EncodedQuery {
    const stored = storedValues(this.#k, column, values);
    if (stored.length === 0) return this.#none();
    const list = this.#k.reserve(stored.length * 8);
    for (const [i, value] of stored.entries()) this.#k.view.setBigUint64(list + i * 8, value, true);
    return this.#set(OP_IN, column, list, stored.length);
  }

  #set(op: number, column: SegmentColumn, values: number, count: number): EncodedQuery {
    const encoded = this.#column(op, SetNode, column);
    setU32(this.#k, encoded.ptr, SetNode.values, values);
    setU32(this.#k, encoded.ptr, SetNode.count, count);
    return encoded;
  }

  /** Record of a class below ColumnNode. */
  #column(op: number, layout: RecordLayout, column: SegmentColumn): EncodedQuery {
    const encoded = this.#record(op, layout, column.docCount, NO_CHILDREN, false);
    setU32(this.#k, encoded.ptr, ColumnNode.column, column.ptr);
    return encoded;
  }

  /** Reserves a record, clears it and writes the fields of Node. */
  #record(op: number, layout: RecordLayout, cost: number, children: readonly EncodedQuery[], scores: boolean): EncodedQuery {
    const k = this.#k;
    const ptr = k.reserve(layout.sizeof, 16);
    k.u32.fill(0, ptr >>> 2, (ptr + layout.sizeof) >>> 2);
    setU32(k, ptr, Node.op, op);
    if (scores) setU32(k, ptr, Node.flags, NODE_SCORES);
    setU32(k, ptr, Node.cost, Math.min(cost, 0xffffffff));
    if (children.length > 0) {
      const list = k.reserve(children.length * 4);
      for (const [i, child] of children.entries()) k.u32[(list >>> 2) + i] = child.ptr;
      setU32(k, ptr, Node.children, list);
      setU32(k, ptr, Node.childCount, children.length);
    }
    return { ptr, cost };
  }
}

function sumOfCosts(nodes: readonly EncodedQuery[]): number {
  return nodes.reduce((sum, node) => sum + node.cost, 0);
}
