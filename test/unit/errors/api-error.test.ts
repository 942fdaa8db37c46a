import { expect, test } from 'vitest';
import { TimeUp } from '../../../src/common/turns/turn.ts';
import { ApiError } from '../../../src/errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../../src/errors/catalog.ts';
import { isUnexpected, toApiError } from '../../../src/errors/error-body.ts';

test('an error keeps its causes when it is sent to another thread', () => {
  const error = mapperParsingError('failed to parse field [a]', illegalArgumentError('For input string: "x"'));
  const copy = ApiError.fromData(structuredClone(error.toData()));
  expect(copy).toBeInstanceOf(ApiError);
  expect(copy.toData()).toEqual(error.toData());
  expect(copy.causedBy?.reason).toBe('For input string: "x"');
});

test('work that ends with the time of its request is no unexpected failure', () => {
  const error = toApiError(new TimeUp());
  expect([error.status, error.type, error.reason]).toEqual([
    503,
    'circuit_breaking_exception',
    '[time] the request ran longer than its timeout and was ended',
  ]);
  expect([isUnexpected(new TimeUp()), isUnexpected(new Error('other'))]).toEqual([false, true]);
});
