// Names of the rewrite methods of multi-term queries: `constant_score`, `scoring_boolean`, `top_terms_10`, `top_terms_boost_10`...
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { RewriteMethod } from '../index-query/pattern-query.ts';

export const CONSTANT: RewriteMethod = { kind: 'constant' };

const NAMED: Readonly<Record<string, RewriteMethod>> = {
  constant_score: CONSTANT,
  constant_score_auto: CONSTANT,
  constant_score_filter: CONSTANT,
  constant_score_blended: CONSTANT,
  scoring_boolean: { kind: 'scoring_boolean' },
  constant_score_boolean: { kind: 'constant_boolean' },
};

const SIZED: ReadonlyArray<readonly [string, 'top_terms_blended' | 'top_terms_boost' | 'top_terms']> = [
  ['top_terms_blended_freqs_', 'top_terms_blended'],
  ['top_terms_boost_', 'top_terms_boost'],
  ['top_terms_', 'top_terms'],
];

/** @throws ApiError illegal_argument_exception */
export function parseRewriteMethod(name: string | null, fallback: RewriteMethod): RewriteMethod {
  if (name === null) return fallback;
  const named = NAMED[name];
  if (named) return named;
  for (const [prefix, kind] of SIZED) {
    const size = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (Number.isInteger(size) && size > 0) return { kind, size };
  }
  throw illegalArgumentError(`Failed to parse rewrite_method [${name}]`);
}
