// Statistics of a shard for scores, over all its segments. Deleted documents count, as in Lucene. Also caches the states of terms.

import type { Dialect } from '../../compat/dialect.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { type Bm25, DEFAULT_BM25 } from '../../mapping/core/similarity.ts';
import type { SimilarityModel } from '../../mapping/core/similarity-model.ts';
import type { TermState } from '../../plan/segment.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { Term } from '../index-query/term.ts';
import { averageLength, normInverseTable } from './bm25.ts';

export interface TermEntry {
  /** Parallel to the segments of the shard; null in segments without the term. */
  readonly states: ReadonlyArray<TermState | null>;
  readonly docFreq: number;
  readonly totalTermFreq: number;
}

/** Statistics of a field in a shard, or in all shards of a search (dfs). */
export interface FieldStatistics {
  /** Documents that have the field. */
  readonly docCount: number;
  readonly sumTotalTermFreq: number;
  readonly sumDocFreq: number;
  /** f32[256] by norm byte. The same array for all terms of the field. */
  readonly normInverse: Float32Array;
}

/** A field's similarity, and the innermost nested path that contains the field. */
export interface FieldModel {
  readonly model: SimilarityModel;
  readonly nestedPath: string | null;
}

/** How terms of fields are scored. */
export interface Similarities {
  /** Parameters of a field's BM25. */
  bm25Of(field: string): Bm25;
  /** The similarity of a field that is scored neither by BM25 nor by `boolean`, null for other fields. */
  modelOf(field: string): FieldModel | null;
  /** Whether scores are multiplied by k1 + 1. */
  readonly withFactor: boolean;
}

const DEFAULT_SIMILARITIES: Similarities = { bm25Of: () => DEFAULT_BM25, modelOf: () => null, withFactor: false };

export function similaritiesOf(mapping: MappingSnapshot, dialect: Dialect): Similarities {
  return {
    bm25Of: (field) => mapping.field(field)?.bm25 ?? DEFAULT_BM25,
    modelOf(field) {
      const type = mapping.field(field);
      return type?.model ? { model: type.model, nestedPath: type.nestedPath } : null;
    },
    withFactor: dialect.scoresWithFactor,
  };
}

/** Statistics that weights are computed from. */
export interface Statistics {
  field(name: string): FieldStatistics | null;
  docFreq(term: Term): number;
  /** docFreq if the field has no freqs. */
  totalTermFreq(term: Term): number;
  /** Documents in the index, including deleted and nested ones. */
  readonly maxDoc: number;
}

/**
 * Limit for all fields together. The cache is not a BoundedMap, because a key of field and term would cost a new string for each lookup; it is
 * emptied when it is full.
 */
const MAX_CACHED_TERMS = 10_000;

export class ShardStatistics implements Statistics {
  readonly segments: readonly SegmentReader[];
  readonly maxDoc: number;
  readonly similarities: Similarities;
  readonly #fields = new Map<string, FieldStatistics | null>();
  readonly #terms = new Map<string, Map<string, TermEntry>>();
  #cachedTerms = 0;

  constructor(segments: readonly SegmentReader[], similarities: Similarities = DEFAULT_SIMILARITIES) {
    this.similarities = similarities;
    this.segments = segments;
    this.maxDoc = segments.reduce((sum, segment) => sum + segment.maxDoc, 0);
  }

  field(name: string): FieldStatistics | null {
    let statistics = this.#fields.get(name);
    if (statistics === undefined) {
      statistics = this.#collectField(name);
      this.#fields.set(name, statistics);
    }
    return statistics;
  }

  #collectField(name: string): FieldStatistics | null {
    let docCount = 0;
    let sumTotalTermFreq = 0;
    let sumDocFreq = 0;
    let hasNorms = false;
    for (const segment of this.segments) {
      const postings = segment.postings(name);
      if (!postings) continue;
      docCount += postings.docCount;
      sumTotalTermFreq += postings.hasFreqs ? postings.sumTotalTermFreq : postings.sumDocFreq;
      sumDocFreq += postings.sumDocFreq;
      if (postings.hasNorms) hasNorms = true;
    }
    if (docCount === 0) return null;
    return {
      docCount,
      sumTotalTermFreq,
      sumDocFreq,
      normInverse: normInverseTable(averageLength(sumTotalTermFreq, docCount), hasNorms, this.similarities.bm25Of(name)),
    };
  }

  term(term: Term): TermEntry {
    let ofField = this.#terms.get(term.field);
    if (!ofField) this.#terms.set(term.field, (ofField = new Map()));
    let entry = ofField.get(term.key);
    if (!entry) {
      if (++this.#cachedTerms > MAX_CACHED_TERMS) {
        this.#terms.clear();
        this.#terms.set(term.field, (ofField = new Map()));
        this.#cachedTerms = 1;
      }
      ofField.set(term.key, (entry = this.#findTerm(term)));
    }
    return entry;
  }

  #findTerm(term: Term): TermEntry {
    let docFreq = 0;
    let totalTermFreq = 0;
    const states = this.segments.map((segment) => {
      const state = segment.lookupTerm(term.field, term.bytes);
      if (state) {
        docFreq += state.docFreq;
        totalTermFreq += state.totalTermFreq;
      }
      return state;
    });
    return { states, docFreq, totalTermFreq };
  }

  docFreq(term: Term): number {
    return this.term(term).docFreq;
  }

  totalTermFreq(term: Term): number {
    return this.term(term).totalTermFreq;
  }
}

/** Sums over all shards of a search (`dfs_query_then_fetch`). */
export class GlobalStatistics implements Statistics {
  readonly #shards: readonly ShardStatistics[];
  readonly #fields = new Map<string, FieldStatistics | null>();
  readonly maxDoc: number;

  constructor(shards: readonly ShardStatistics[]) {
    this.#shards = shards;
    this.maxDoc = shards.reduce((sum, shard) => sum + shard.maxDoc, 0);
  }

  field(name: string): FieldStatistics | null {
    let statistics = this.#fields.get(name);
    if (statistics === undefined) {
      const all = new ShardStatistics(
        this.#shards.flatMap((shard) => shard.segments),
        this.#shards[0]?.similarities,
      );
      statistics = all.field(name);
      this.#fields.set(name, statistics);
    }
    return statistics;
  }

  docFreq(term: Term): number {
    return this.#shards.reduce((sum, shard) => sum + shard.docFreq(term), 0);
  }

  totalTermFreq(term: Term): number {
    return this.#shards.reduce((sum, shard) => sum + shard.totalTermFreq(term), 0);
  }
}
