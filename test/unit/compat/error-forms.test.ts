// Errors in the form of the server whose dialect is spoken.
import { expect, test } from 'vitest';
import { dialectOf } from '../../../src/compat/dialect.ts';
import { inDialect } from '../../../src/compat/error-forms.ts';
import { ApiError } from '../../../src/errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../../src/errors/catalog.ts';
import { allShardsFailedError, parseFailureError, queryShardError, xContentParseError } from '../../../src/errors/search-errors.ts';

const ELASTICSEARCH = dialectOf('elasticsearch', '8.15.0');
const OPENSEARCH = dialectOf('opensearch', '3.8.0');

/** The types of the causes that are reported for a search on a single shard, which fails. */
function causesOf(error: ApiError, of = ELASTICSEARCH): string[] {
  const types: string[] = [];
  const failure = allShardsFailedError('query', [{ shard: 0, index: 'docs', node: 'n', error }]);
  for (let cause = inDialect(failure, of).causedBy; cause !== null; cause = cause.causedBy) types.push(cause.type);
  return types;
}

test('the error of the first shard is not repeated as the cause of a failed search', () => {
  expect(causesOf(parsingError('x'))).toEqual([]);
  expect(causesOf(queryShardError('docs', 'x', illegalArgumentError('y')))).toEqual([]);
});

test('Elasticsearch reports the first of several analyzers that cannot be built', () => {
  const suppressed = [
    { type: 'illegal_argument_exception', reason: '[a] x', caused_by: { type: 'illegal_argument_exception', reason: 'x' } },
    { type: 'illegal_argument_exception', reason: '[b] y', caused_by: { type: 'illegal_argument_exception', reason: 'y' } },
  ];
  const error = new ApiError('illegal_argument_exception', 400, 'Failed to build analyzers: [a, b]', { details: { suppressed } });
  expect(inDialect(error, ELASTICSEARCH)).toMatchObject({ reason: 'x', details: {} });
  expect(inDialect(error, OPENSEARCH)).toBe(error);
});

test('rules of analysis are called invalid in the words of Elasticsearch', () => {
  const error = new ApiError('runtime_exception', 500, 'Line [1]: Invalid mapping rule : [a]');
  expect(inDialect(error, ELASTICSEARCH).reason).toBe('Invalid Mapping Rule : [a]');
  expect(inDialect(error, OPENSEARCH)).toBe(error);
});

test("the cause of a failed search is the innermost of the shard's own errors", () => {
  expect(causesOf(queryShardError('docs', 'x', parseFailureError('y', illegalArgumentError('z'))))).toEqual([
    'parse_exception',
    'illegal_argument_exception',
  ]);
});

test('an exception of Java is the cause of a failed search, and its own cause', () => {
  expect(causesOf(illegalArgumentError('x'))).toEqual(['illegal_argument_exception', 'illegal_argument_exception']);
});

test('OpenSearch repeats the error of the first shard', () => {
  expect(causesOf(parsingError('x'), OPENSEARCH)).toEqual(['parsing_exception']);
});

test.each([
  ['VALUE_BOOLEAN', 'VALUE_TRUE'],
  ['VALUE_NULL', 'VALUE_NULL'],
  ['START_ARRAY', 'START_ARRAY'],
])('a value that is not a number is called as the JSON parser calls it: %s', (token, name) => {
  const error = inDialect(parsingError(`[term] expects a number, but found [${token}]`), ELASTICSEARCH);
  expect([error.type, error.reason]).toEqual([
    'x_content_parse_exception',
    `Current token (${name}) not numeric, can not use numeric value accessors`,
  ]);
});

test('the causes of an error have the forms of the server, too', () => {
  const wrapped = xContentParseError(
    '[bool] failed to parse field [must]',
    parsingError('[term] expects a number, but found [VALUE_NULL]'),
  );
  const { causedBy, rootCauses } = inDialect(wrapped, ELASTICSEARCH);
  for (const error of [causedBy, rootCauses?.[0]]) {
    expect([error?.type, error?.reason]).toEqual([
      'x_content_parse_exception',
      'Current token (VALUE_NULL) not numeric, can not use numeric value accessors',
    ]);
  }
});
