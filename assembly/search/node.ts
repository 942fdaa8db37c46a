// Query plan nodes: records that the host writes into scratch (src/plan/encode-query.ts) and the kernels complete with their own state.
// All records begin with the fields of Node; `op` tells which class has the rest, and each function casts to that class once.
//   Node ├─ ConstantNode        ALL, CONSTANT           ├─ ColumnNode        EXISTS
//        ├─ BoostNode           BOOST                   │  ├─ RangeNode      RANGE
//        ├─ DisMaxNode          DIS_MAX                 │  ├─ RangeF64Node   RANGE_F64
//        ├─ BoolNode            BOOL                    │  ├─ SetNode        IN, IN_F64
//        ├─ SimilarityNode      SYNONYM                 │  └─ GeoBoxNode     GEO_BOX
//        │  ├─ TermNode         TERM                    │     └─ GeoDistanceNode  GEO_DISTANCE
//        │  └─ PhraseNode       PHRASE                  ├─ NormsNode         EXISTS_NORM
//        ├─ DocsNode            DOCS                    └─ MaterializedNode  BITSET
//        └─ Node                NONE                       ├─ AnyTermNode    ANY_TERM
//                                                          ├─ TermRangeNode  TERM_RANGE
//                                                          └─ NestedNode     NESTED
// Records are at multiples of 16. The host clears them first; fields under "State" are the kernels'.

export const OP_NONE: u32 = 0;
export const OP_ALL: u32 = 1;
export const OP_TERM: u32 = 2;
export const OP_SYNONYM: u32 = 3;
export const OP_ANY_TERM: u32 = 4;
export const OP_PHRASE: u32 = 5;
export const OP_BOOL: u32 = 6;
export const OP_DIS_MAX: u32 = 7;
export const OP_CONSTANT: u32 = 8;
export const OP_BOOST: u32 = 9;
export const OP_RANGE: u32 = 10;
export const OP_RANGE_F64: u32 = 11;
export const OP_IN: u32 = 12;
export const OP_IN_F64: u32 = 13;
export const OP_EXISTS: u32 = 14;
export const OP_EXISTS_NORM: u32 = 15;
export const OP_BITSET: u32 = 16;
export const OP_DOCS: u32 = 17;
export const OP_GEO_BOX: u32 = 18;
export const OP_GEO_DISTANCE: u32 = 19;
export const OP_NESTED: u32 = 20;
export const OP_TERM_RANGE: u32 = 21;

/** Node.flags: the scores of this node are used. */
export const NODE_SCORES: u32 = 1;

// @ts-ignore: decorator
@unmanaged
export class Node {
  /** OP_* */
  op: u32;
  /** NODE_* */
  flags: u32;
  /** Addresses of the child nodes, u32[childCount]. */
  children: u32;
  childCount: u32;
  /** Estimate of the number of matching documents. */
  cost: u32;
}

// @ts-ignore: decorator
@unmanaged
export class ConstantNode extends Node {
  /** Score of every match. */
  score: f32;
}

// @ts-ignore: decorator
@unmanaged
export class BoostNode extends Node {
  /** Multiplies the child's scores. */
  factor: f32;
}

/** children: the clauses */
// @ts-ignore: decorator
@unmanaged
export class DisMaxNode extends Node {
  /** Share of the scores below the best one that is added to it. */
  tieBreaker: f32;
}

/** children: required (must and filter, cheapest first) ┬ optional (should) ┬ prohibited (must_not) ┬ scored (must, again, in the query's order) */
// @ts-ignore: decorator
@unmanaged
export class BoolNode extends Node {
  required: u32;
  optional: u32;
  prohibited: u32;
  scored: u32;
  minimumShouldMatch: u32;
  /** State: sums f64[WINDOW_DOCS] of a disjunction (competitive.ts), all 0 between windows; 0 before the first one. */
  sums: u32;
}

/** children: TERM nodes without scores, which count as one term */
// @ts-ignore: decorator
@unmanaged
export class SimilarityNode extends Node {
  /** Address of the field's norms, 0 without. */
  norms: u32;
  /** Address of f32[256], by norm (similarity.ts); 0 without scores. */
  normInverse: u32;
  weight: f32;
}

// @ts-ignore: decorator
@unmanaged
export class TermNode extends SimilarityNode {
  /** FIELD_* of codec/field-flags.ts */
  postingsFlags: u32;
  docFreq: u32;
  /** Address of the term's record in the postings section. */
  record: u32;
  /** Address of the field's positions section. */
  positions: u32;
  /** State: PostingsCursor. */
  cursor: u32;
  /** State: upper bound of the term's scores in the segment; negative until it is computed. */
  bound: f32;
  /** State: block where the last search for a bound ended. */
  boundBlock: u32;
  /** State: bounds f32[] by block and by group of blocks, NaN until they are computed; 0 before the first one. */
  blockBounds: u32;
}

/** children: TERM nodes of one field, place by place */
// @ts-ignore: decorator
@unmanaged
export class PhraseNode extends SimilarityNode {
  /** PlaceTerms[placeCount], in the query's order. */
  places: u32;
  placeCount: u32;
  slop: u32;
  /** State: PhraseState. */
  state: u32;
}

/** A place of a phrase as the host writes it: any one of its children may occur there. */
// @ts-ignore: decorator
@unmanaged
export class PlaceTerms {
  /** Position in the phrase. */
  place: u32;
  firstChild: u32;
  childCount: u32;
}

// @ts-ignore: decorator
@unmanaged
export class DocsNode extends Node {
  /** Ascending docIds, u32[docCount]. */
  docs: u32;
  docCount: u32;
  /** f32[docCount], 0 without scores. */
  scores: u32;
}

/** Nodes that are evaluated for many windows at once (materialize.ts). */
// @ts-ignore: decorator
@unmanaged
export class MaterializedNode extends Node {
  /** Bitset over the segment's documents. OP_BITSET: written by the host; else state, 0 before the first use. */
  bitset: u32;
  /** State: documents below this number are decided; u32.MAX_VALUE: all. Unused by OP_BITSET. */
  decided: u32;
}

// @ts-ignore: decorator
@unmanaged
export class AnyTermNode extends MaterializedNode {
  /** Pairs u32 of the address of a term's record and its docFreq. */
  terms: u32;
  termCount: u32;
  postingsFlags: u32;
}

/** Terms of ordinals [fromOrd, toOrd). */
// @ts-ignore: decorator
@unmanaged
export class TermRangeNode extends MaterializedNode {
  /** Address of the field's term dictionary. */
  dictionary: u32;
  fromOrd: u32;
  toOrd: u32;
  postingsFlags: u32;
  /**
   * Pairs u32 of an ordinal and a distance: up to that ordinal, records are at the address that the dictionary leads to plus the distance, modulo
   * 2^32. Ordinals ascend to toOrd.
   */
  pieces: u32;
}

/** children: a plan over nested documents */
// @ts-ignore: decorator
@unmanaged
export class NestedNode extends MaterializedNode {
  /** Bitset of the path's documents. */
  childDocs: u32;
  /** Bitset of their parents. */
  parentDocs: u32;
  /** NESTED_* */
  scoreMode: u32;
  /** State: scores of the parents f32[maxDoc], 0 without. */
  parentScores: u32;
}

/** NestedNode.scoreMode: the score of a parent from those of its children. */
export const NESTED_NONE: u32 = 0;
export const NESTED_AVG: u32 = 1;
export const NESTED_SUM: u32 = 2;
export const NESTED_MIN: u32 = 3;
export const NESTED_MAX: u32 = 4;

// @ts-ignore: decorator
@unmanaged
export class ColumnNode extends Node {
  /** Address of the column section. */
  column: u32;
}

/** Bounds in stored units of the column (also ordinals), both included. */
// @ts-ignore: decorator
@unmanaged
export class RangeNode extends ColumnNode {
  lo: u64;
  hi: u64;
}

/** Both bounds included. */
// @ts-ignore: decorator
@unmanaged
export class RangeF64Node extends ColumnNode {
  lo: f64;
  hi: f64;
}

/** IN: values in stored units of the column; IN_F64: doubles. */
// @ts-ignore: decorator
@unmanaged
export class SetNode extends ColumnNode {
  /** Ascending, u64[count] or f64[count]. */
  values: u32;
  count: u32;
}

/** Encoded coordinates, as in the packed value, all included. west > east crosses the dateline. */
// @ts-ignore: decorator
@unmanaged
export class GeoBoxNode extends ColumnNode {
  south: u32;
  north: u32;
  west: u32;
  east: u32;
}

/** The box surrounds the circle. */
// @ts-ignore: decorator
@unmanaged
export class GeoDistanceNode extends GeoBoxNode {
  /** Degrees. */
  latitude: f64;
  longitude: f64;
  meters: f64;
}

// @ts-ignore: decorator
@unmanaged
export class NormsNode extends Node {
  norms: u32;
}

// @ts-ignore: decorator
@inline
export function nodeChild(node: Node, i: u32): Node {
  return changetype<Node>(<usize>load<u32>(<usize>node.children + ((<usize>i) << 2)));
}

/** Child `i`, which is a TERM node. */
// @ts-ignore: decorator
@inline
export function termChild(node: Node, i: u32): TermNode {
  return changetype<TermNode>(nodeChild(node, i));
}
