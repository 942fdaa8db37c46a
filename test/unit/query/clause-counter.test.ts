import { expect, test } from 'vitest';
import { MAX_PARSED_CLAUSES } from '../../../src/query/clause-counter.ts';
import { parseQuery } from '../../../src/query/parse-query.ts';

const TERM = { term: { a: 1 } };

test('a million clauses are refused before they are parsed', () => {
  // The clauses are one object, which would be parsed as often as it occurs.
  let parsed = 0;
  const clause = { term: { a: 1 } };
  Object.defineProperty(clause.term, 'a', { enumerable: true, get: () => ++parsed });
  expect(() => parseQuery({ bool: { should: Array(1_000_000).fill(clause) } })).toThrow('[bool] failed to parse field [should]');
  expect(parsed).toBeLessThanOrEqual(2 * MAX_PARSED_CLAUSES);
});

test.each([
  ['bool in bool', { bool: { should: Array(1000).fill({ bool: { should: Array(1000).fill(TERM) } }) } }],
  ['dis_max', { dis_max: { queries: Array(100_000).fill(TERM) } }],
  ['spans', { span_or: { clauses: Array(100_000).fill({ span_term: { a: 'x' } }) } }],
  ['interval rules', { intervals: { a: { any_of: { intervals: Array(100_000).fill({ match: { query: 'x' } }) } } } }],
  ['functions', { function_score: { functions: Array(100_000).fill({ filter: TERM, weight: 1 }) } }],
])('clauses of %s count', (_name, query) => {
  try {
    parseQuery(query);
    expect.unreachable();
  } catch (error) {
    const chain = [error as { type: string; status: number; causedBy: unknown }];
    for (let at = chain[0]; at.causedBy; at = chain[chain.length - 1]) chain.push(at.causedBy as (typeof chain)[0]);
    expect(chain[0].status).toBe(400);
    expect(chain[chain.length - 1].type).toBe('too_many_nested_clauses');
  }
});

test('as many clauses as an index may allow are parsed', () => {
  expect(parseQuery({ bool: { should: Array(MAX_PARSED_CLAUSES - 1).fill(TERM) } }).kind).toBe('bool');
});
