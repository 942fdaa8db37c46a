// Names of fields in documents: dots at the end, empty parts, white space.
import { afterAll, describe, expect, test } from 'vitest';
import { openRestNode } from '../../../support/rest-node.ts';

describe.each([
  ['elasticsearch', "field name cannot contain only whitespace: ['a..b']", 'field name cannot contain only dots'],
  ['opensearch', 'object field starting or ending with a [.] makes object resolution ambiguous: [a..b]', 'contain only the character [.]'],
])('in the dialect of %s', async (flavor, emptyPart, onlyDots) => {
  const node = await openRestNode({ 'compat.flavor': flavor });
  afterAll(() => node.close());

  test('dots at the end of a name are ignored', async () => {
    await node.ok('PUT /dots/_doc/1?refresh=true', { 'x.': 1, 'o.': { 'p..': 2 } });
    const { properties } = (await node.ok('GET /dots/_mapping')).dots.mappings;
    expect(properties).toEqual({ x: { type: 'long' }, o: { properties: { p: { type: 'long' } } } });
    expect((await node.ok('POST /dots/_count', { query: { term: { 'o.p': 2 } } })).count).toBe(1);
    await node.ok('PUT /dots/_doc/2?refresh=true', { 'x.': 3 });
    expect((await node.ok('POST /dots/_count', { query: { term: { x: 3 } } })).count).toBe(1);
  });

  test('names with empty parts are refused', async () => {
    const refused = async (name: string): Promise<string> => (await node.send('PUT /names/_doc/1', { [name]: 1 })).text;
    expect(await refused('a..b')).toContain(emptyPart);
    expect(await refused('...')).toContain(onlyDots);
  });

  test('an integer beyond 64 bits is mapped as long, and does not fit', async () => {
    const { status, json } = await node.send('PUT /large/_doc/1', '{"n":18446744073709551615}');
    expect(status).toBe(400);
    expect(json.error.reason).toContain(
      "field [n] of type [long] in document with id '1'. Preview of field's value: '18446744073709551615'",
    );
  });

  test('an empty completion is left out, and a wrong one is named by its member', async () => {
    await node.ok('PUT /completions', { mappings: { properties: { c: { type: 'completion' } } } });
    await node.ok('PUT /completions/_doc/1?refresh=true', { c: '' });
    expect((await node.ok('POST /completions/_count', { query: { exists: { field: 'c' } } })).count).toBe(0);
    expect((await node.send('PUT /completions/_doc/2', { c: [1] })).text).toContain('failed to parse [null]: expected text or object');
  });

  test('text has no format of its own in docvalue_fields', async () => {
    await node.ok('PUT /texts/_doc/1?refresh=true', { t: 'x' });
    const { json } = await node.send('POST /texts/_search', { docvalue_fields: [{ field: 't', format: '#.0' }] });
    expect(json.error).toMatchObject({
      phase: 'query',
      root_cause: [{ reason: 'Field [t] of type [text] does not support custom formats' }],
    });
  });
});
