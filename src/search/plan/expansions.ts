// Queries expanded to the terms of a shard, once for all its segments.

import { canMove, TooHeavy } from '../../common/turns/turn.ts';
import { bool, type IndexQuery, none, type PerShardQuery, type PhraseIndexQuery } from '../index-query/index-query.ts';
import type { PatternQuery } from '../index-query/pattern-query.ts';
import type { PositionalQuery } from '../index-query/positional-query.ts';
import { type ExpandedPositional, expandPositional } from '../positions/plan-positional.ts';
import type { ShardStatistics } from '../shard/statistics.ts';
import { bestTerms, type ExpandedTerm, expandPattern, expandPrefixes } from './term-expansion.ts';

const MAX_EXPANDED_TERMS = 100_000;
/** A phrase that ends in more terms takes long even for one window of documents, within which nothing is checked. */
const LIGHT_EXPANSIONS = 1000;

export class Expansions {
  readonly #local: ShardStatistics;
  readonly #maxClauses: number;
  readonly #queries = new LazyCache<PhraseIndexQuery | PerShardQuery, IndexQuery>();
  readonly #terms = new LazyCache<PatternQuery, ExpandedTerm[]>();
  readonly #positionals = new LazyCache<PositionalQuery, ExpandedPositional>();

  constructor(local: ShardStatistics, maxClauses: number) {
    this.#local = local;
    this.#maxClauses = maxClauses;
  }

  /** The query made from the statistics of the shard. */
  resolvePerShard(query: PerShardQuery): IndexQuery {
    return this.#queries.of(query, () => query.make(this.#local));
  }

  /** The phrase with the prefix at its last position expanded; if it has one position, a query for those terms. */
  phrase(query: PhraseIndexQuery): IndexQuery {
    return this.#queries.of(query, () => this.#expandPhrase(query));
  }

  /** Spans and intervals with their patterns expanded. */
  positional(query: PositionalQuery): ExpandedPositional {
    return this.#positionals.of(query, () =>
      expandPositional(query, (pattern, limit) => this.#expandTerms(pattern, limit).map(({ term }) => term)),
    );
  }

  /** The terms of a pattern; only the best for a rewrite method with a size. */
  terms(query: PatternQuery): ExpandedTerm[] {
    return this.#terms.of(query, () => {
      const { rewrite } = query;
      return this.#expandTerms(query, 'size' in rewrite ? Math.min(rewrite.size, this.#maxClauses) : this.#maxClauses);
    });
  }

  #expandTerms({ field, pattern, rewrite }: PatternQuery, limit: number): ExpandedTerm[] {
    const isSized = 'size' in rewrite;
    const found = expandPattern(this.#local, field, pattern, isSized ? MAX_EXPANDED_TERMS : limit);
    return isSized ? bestTerms(found, limit) : found;
  }

  #expandPhrase(query: PhraseIndexQuery): IndexQuery {
    let { positions } = query;
    if (query.prefixExpansions !== null) {
      const last = positions[positions.length - 1];
      const terms = expandPrefixes(this.#local, query.field, last.terms, query.prefixExpansions);
      if (terms.length === 0) return none('no term begins with the prefix');
      if (terms.length > LIGHT_EXPANSIONS && canMove()) throw new TooHeavy();
      positions = [...positions.slice(0, -1), { position: last.position, terms }];
    }
    if (positions.length > 1) return { ...query, positions, prefixExpansions: null };
    const terms = positions[0].terms.map((term): IndexQuery => ({ op: 'term', term, scored: true }));
    return terms.length === 1 ? terms[0] : bool({ should: terms });
  }
}

/** Caches a value for each key. Creates the map with the first entry, because most searches expand nothing. */
class LazyCache<K, V> {
  #values: Map<K, V> | null = null;

  of(key: K, make: () => V): V {
    let value = this.#values?.get(key);
    if (value === undefined) {
      value = make();
      (this.#values ??= new Map()).set(key, value);
    }
    return value;
  }
}
