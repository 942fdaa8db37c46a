// What queries become with the terms of a shard: expanded once, shared by its segments.
import { bool, type IndexQuery, none } from '../index-query/index-query.ts';
import type { PositionalQuery } from '../index-query/positional-query.ts';
import { type ExpandedPositional, expandPositional } from '../positions/plan-positional.ts';
import type { ShardStatistics } from '../shard/statistics.ts';
import { bestTerms, type ExpandedTerm, expandPattern, expandPrefixes } from './term-expansion.ts';

const MAX_EXPANDED_TERMS = 100_000;

type PatternQuery = Extract<IndexQuery, { op: 'pattern' }>;
type PhraseQuery = Extract<IndexQuery, { op: 'phrase' }>;
type PerShardQuery = Extract<IndexQuery, { op: 'perShard' }>;

export class Expansions {
  readonly #local: ShardStatistics;
  readonly #maxClauses: number;
  readonly #queries = new Made<PhraseQuery | PerShardQuery, IndexQuery>();
  readonly #terms = new Made<PatternQuery, ExpandedTerm[]>();
  readonly #positionals = new Made<PositionalQuery, ExpandedPositional>();

  constructor(local: ShardStatistics, maxClauses: number) {
    this.#local = local;
    this.#maxClauses = maxClauses;
  }

  /** The query that the shard's statistics make. */
  resolvePerShard(query: PerShardQuery): IndexQuery {
    return this.#queries.of(query, () => query.make(this.#local));
  }

  /** The phrase with its prefix spelled out; of one position: the terms themselves. */
  phrase(query: PhraseQuery): IndexQuery {
    return this.#queries.of(query, () => this.#expandPhrase(query));
  }

  /** Spans and intervals with the terms of their patterns. */
  positional(query: PositionalQuery): ExpandedPositional {
    return this.#positionals.of(query, () =>
      expandPositional(query, (pattern, limit) => this.#expandTerms(pattern, limit).map(({ term }) => term)),
    );
  }

  /** Terms of a pattern; a sized rewrite takes the best. */
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

  #expandPhrase(query: PhraseQuery): IndexQuery {
    let { positions } = query;
    if (query.prefixExpansions !== null) {
      const last = positions.at(-1)!;
      const terms = expandPrefixes(this.#local, query.field, last.terms, query.prefixExpansions);
      if (terms.length === 0) return none('no term begins with the prefix');
      positions = [...positions.slice(0, -1), { position: last.position, terms }];
    }
    if (positions.length > 1) return { ...query, positions, prefixExpansions: null };
    const terms = positions[0].terms.map((term): IndexQuery => ({ op: 'term', term, scored: true }));
    return terms.length === 1 ? terms[0] : bool({ should: terms });
  }
}

/** What was made of each key; without a table until there is one, since most searches expand nothing. */
class Made<K, V> {
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
