import { expect, test } from 'vitest';
import { ApiError } from '../../../src/errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../../src/errors/catalog.ts';

test('an error keeps its causes when it is sent to another thread', () => {
  const error = mapperParsingError('failed to parse field [a]', illegalArgumentError('For input string: "x"'));
  const copy = ApiError.fromData(structuredClone(error.toData()));
  expect(copy).toBeInstanceOf(ApiError);
  expect(copy.toData()).toEqual(error.toData());
  expect(copy.causedBy?.reason).toBe('For input string: "x"');
});
