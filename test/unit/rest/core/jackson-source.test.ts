// Syntax errors of bodies as Elasticsearch 8 words them, over a whole node.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode({ 'compat.version': '8.15.0' });
  await node.ok('PUT /s');
});
afterAll(() => node.close());

const errorOf = async (body: string) => (await node.send('POST /s/_search', body)).json.error;
const NAMES = 'was expecting double-quote to start field name';

test.each([
  ['{a:1}', `[1:3] Unexpected character ('a' (code 97)): ${NAMES}\n at [Source: (byte[])"{a:1}"; line: 1, column: 3]`],
  [
    '{"a":nul}',
    `[1:10] Unrecognized token 'nul': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')\n at [Source: (byte[])"{"a":nul}"; line: 1, column: 10]`,
  ],
  ['{"a":01}', '[1:7] Invalid numeric value: Leading zeroes not allowed\n at [Source: (byte[])"{"a":01}"; line: 1, column: 7]'],
  [
    '{\n "a" 1}',
    `[2:7] Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value\n at [Source: (byte[])"{\n "a" 1}"; line: 2, column: 7]`,
  ],
])('%j is refused with its line, column and source', async (body, reason) => {
  const error = await errorOf(body);
  expect([error.type, error.reason]).toEqual(['x_content_parse_exception', reason]);
  expect([error.caused_by.type, `[${/^\[(\S+)\]/.exec(reason)?.[1]}] ${error.caused_by.reason}`]).toEqual(['json_parse_exception', reason]);
});

test('a body that ends too early is an error of its own', async () => {
  const text = 'Unexpected end-of-input within/between Object entries\n at [Source: (byte[])"{"a":"; line: 1, column: 6]';
  const error = await errorOf('{"a":');
  expect([error.type, error.reason]).toEqual(['x_content_e_o_f_exception', `com.fasterxml.jackson.core.io.JsonEOFException: ${text}`]);
  expect(error.caused_by).toEqual({ type: 'json_e_o_f_exception', reason: text });
});

test('long bodies are shown in part', async () => {
  const { reason } = await errorOf(`{a:"${'x'.repeat(1000)}"}`);
  expect(reason).toContain('x"[truncated 506 bytes]; line: 1, column: 3]');
});

test('queries that an object parser reads report its error as their own', async () => {
  const error = await errorOf('{"query":{"match_all":{"bost":1}}}');
  const reason = '[1:24] [match_all] unknown field [bost] did you mean [boost]?';
  expect(error).toMatchObject({ type: 'parsing_exception', reason, line: 1, col: 31 });
  expect(error.root_cause).toEqual([{ type: 'parsing_exception', reason, line: 1, col: 31 }]);
  expect(error.caused_by).toEqual({ type: 'x_content_parse_exception', reason });
});

test.each([
  ['{"sort":[{"a":null}]}', '[1:19] [field_sort] Expected START_OBJECT but was: END_OBJECT'],
  ['{"sort":[{"a":[]}]}', '[1:16] [field_sort] Expected START_OBJECT but was: END_ARRAY'],
  ['{"sort":{"a":1,"b":"asc"}}', '[1:16] [field_sort] Expected START_OBJECT but was: FIELD_NAME'],
  ['{"fields":[{"fild":"a"}]}', '[1:13] [fetch_field_and_format] unknown field [fild] did you mean [field]?'],
])('%s names the token or field that is wrong', async (body, reason) => {
  expect((await errorOf(body)).reason).toBe(reason);
});
