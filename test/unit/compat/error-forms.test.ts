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

test('a value of the wrong kind is reported like the JSON parser of the server does', () => {
  const ELASTICSEARCH_7 = dialectOf('elasticsearch', '7.10.2');
  const chain = (error: ApiError | null): string[] => (error === null ? [] : [`${error.type}: ${error.reason}`, ...chain(error.causedBy)]);
  const wrong = (token: string) =>
    new ApiError('input_coercion_exception', 400, `Current token (${token}) not numeric, cannot use numeric value accessors`);
  const text = 'Current token (VALUE_TRUE) not numeric, can not use numeric value accessors';
  expect(chain(inDialect(wrong('VALUE_TRUE'), ELASTICSEARCH))).toEqual([
    `x_content_parse_exception: ${text}`,
    `json_parse_exception: ${text}`,
  ]);
  expect(chain(inDialect(wrong('VALUE_TRUE'), ELASTICSEARCH_7))).toEqual([`json_parse_exception: ${text}`]);
  expect(chain(inDialect(wrong('START_OBJECT'), ELASTICSEARCH))).toEqual(['illegal_argument_exception: Cannot parse object as number']);
  const own = inDialect(wrong('VALUE_TRUE'), OPENSEARCH);
  expect(own.causedBy).toMatchObject({ type: own.type, reason: own.reason });
});

test('version 8 names the text field and the index of a failed search', () => {
  const reason = 'Text fields are not optimised for operations that need more, set fielddata=true on [t] in order to load';
  const failure = allShardsFailedError('query', [{ shard: 0, index: 'docs', node: 'n', error: illegalArgumentError(reason) }]);
  const named = inDialect(failure, ELASTICSEARCH);
  const wanted = `Fielddata is disabled on [t] in [docs]. ${reason}`;
  expect([named.rootCauses?.[0].reason, named.causedBy?.reason, named.causedBy?.causedBy?.reason]).toEqual([wanted, wanted, wanted]);
  expect(named.details).toMatchObject({ failed_shards: [{ reason: { reason: wanted } }] });
  expect(inDialect(failure, OPENSEARCH).causedBy).toMatchObject({ reason, causedBy: { reason } });
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
