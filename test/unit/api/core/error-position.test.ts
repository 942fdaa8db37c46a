// Positions that errors of parsers get from a second look at the body.
import { expect, test } from 'vitest';
import { withPosition } from '../../../../src/api/core/error-position.ts';
import { ApiError } from '../../../../src/errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../../../../src/errors/catalog.ts';

const contentError = (reason: string, causedBy: ApiError | null = null): ApiError =>
  new ApiError('x_content_parse_exception', 400, reason, { causedBy });
const placed = (error: ApiError, body: string): ApiError => withPosition(error, Buffer.from(body));

test('names an unknown field by its name, and the errors around it by its value', () => {
  const error = contentError('[bool] failed to parse field [must]', contentError('[ids] unknown field [typo]'));
  const { reason, causedBy } = placed(error, '{"query":{"bool":{"must":{"ids":{"typo":1}}}}}');
  expect([reason, causedBy?.reason]).toEqual(['[1:41] [bool] failed to parse field [must]', '[1:34] [ids] unknown field [typo]']);
});

test('gives parsing exceptions a line and a column in bytes', () => {
  const { details, reason } = placed(parsingError('[match] query does not support [typo]'), '{"query":\n {"match":{"ü":{"typo":[]}}}}');
  expect([reason, details]).toEqual(['[match] query does not support [typo]', { line: 2, col: 25 }]);
});

test('chooses the value with the token that the reason names', () => {
  const error = contentError("[term] boost doesn't support values of type: START_ARRAY");
  expect(placed(error, '{"a":{"boost":1},"term":{"boost":[1]}}').reason).toMatch(/^\[1:34\] /);
});

test('looks for a cause only below the value that the outer error names', () => {
  const error = contentError('[bool] failed to parse field [filter]', parsingError('[match] query does not support [x]'));
  const { reason } = placed(error, '{"query":{"bool":{"must":{"match":{"a":{"x":1}}},"filter":{"match":{"a":{"x":1}}}}}}');
  expect(reason).toMatch(/^\[1:78\] /);
});

test('reports failures outside of parsers at the value they quote, or at the end of the body', () => {
  const body = '{"a":{"ranges":[{"from":"x"}]}}';
  const error = (reason: string) => contentError('[range] failed to parse field [ranges]', illegalArgumentError(reason));
  expect(placed(error('For input string: "x"'), body).reason).toMatch(/^\[1:25\] /);
  expect(placed(error('nothing to find'), body).reason).toMatch(/^\[1:29\] /);
});

test('says where the object begins of which a field wanted the text', () => {
  const cause = new ApiError('illegal_state_exception', 400, "Can't get text on a START_OBJECT");
  const error = (type: string) =>
    new ApiError(type, 400, "failed to parse field [k] of type [keyword] in document with id '1'. Preview of field's value: '{a=1}'", {
      causedBy: cause,
    });
  const body = '{"x":1,"k":{"a":1}}';
  expect(placed(error('mapper_parsing_exception'), body).causedBy?.reason).toBe("Can't get text on a START_OBJECT at 1:12");
  const shown = placed(error('document_parsing_exception'), body);
  expect([shown.reason?.slice(0, 7), shown.causedBy?.reason]).toEqual(['[1:18] ', "Can't get text on a START_OBJECT at 1:12"]);
});

test('finds the field of a refused document by its whole path', () => {
  const reason = "failed to parse field [o.n] of type [integer] in document with id '1'. Preview of field's value: 'x'";
  const error = new ApiError('document_parsing_exception', 400, reason);
  expect(placed(error, '{"n":"x","o":{"n":[1,"x"]}}').reason).toBe(`[1:22] ${reason}`);
});

test('does not change errors of other kinds, errors with positions, and errors of bodies that are not JSON', () => {
  const other = illegalArgumentError('[a] is wrong');
  expect(placed(other, '{"a":1}')).toBe(other);
  const known = contentError('[1:2] [x] unknown field [a]');
  expect(placed(known, '{"a":1}')).toBe(known);
  const lost = contentError('[x] unknown field [a]');
  expect(placed(lost, '{"a":"')).toBe(lost);
  expect(placed(lost, '{"b":1}')).toBe(lost);
});

test('gives root causes that repeat the error its position', () => {
  const cause = contentError('[x] unknown field [a]');
  const error = new ApiError(cause.type, 400, cause.reason, { rootCauses: [cause] });
  expect(placed(error, '{"a":1}').rootCauses?.[0].reason).toBe('[1:2] [x] unknown field [a]');
});

test('takes time in proportion to the body', () => {
  const body = `{"must":[${Array.from({ length: 9000 }, () => '{"must":1}').join(',')}]}`;
  const error = contentError('[bool] failed to parse field [must]', contentError('[bool] unknown field [must]'));
  expect(placed(error, body).reason).toMatch(/^\[1:\d+\] /);
});

test('gives up on a deep body and an error with many causes', () => {
  const body = `{"query":{"typo":1},"x":${'['.repeat(900)}${Array(18_000).fill('{"must":1}').join()}${']'.repeat(900)}}`;
  let error = parsingError('[match] query does not support [must]');
  for (let level = 0; level < 60; level++) error = contentError('[bool] failed to parse field [must]', error);
  expect(placed(error, body)).toBe(error);
});
