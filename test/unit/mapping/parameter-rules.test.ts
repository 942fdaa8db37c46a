// Rules of the parameters of mappings that all types share, in the dialects that differ.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

describe.each(['elasticsearch', 'opensearch'])('%s', (flavor) => {
  let node: RestNode;
  let count = 0;

  beforeAll(async () => {
    node = await openRestNode({ 'compat.flavor': flavor });
    await node.ok('PUT /i', {});
  });

  afterAll(() => node.close());

  /** How a field is shown after it was mapped; the error if it is refused. */
  async function shown(field: object): Promise<unknown> {
    const name = `f${count++}`;
    const { status, json } = await node.send('PUT /i/_mapping', { properties: { [name]: field } });
    return status === 200
      ? (await node.ok('GET /i/_mapping')).i.mappings.properties[name]
      : json.error.root_cause[0].reason.replaceAll(name, 'f');
  }

  test.each([
    [
      { type: 'text', similarity: 'BM25' },
      { type: 'text', similarity: 'BM25' },
    ],
    [{ type: 'keyword', similarity: null }, { type: 'keyword' }],
    [
      { type: 'text', search_quote_analyzer: 'standard' },
      { type: 'text', analyzer: 'default', search_analyzer: 'default', search_quote_analyzer: 'standard' },
    ],
    [
      { type: 'text', analyzer: 'simple', search_quote_analyzer: 'simple' },
      { type: 'text', analyzer: 'simple' },
    ],
    [{ type: 'text', search_quote_analyzer: 'default' }, { type: 'text' }],
    [
      { type: 'keyword', ignore_above: -1 },
      { type: 'keyword', ignore_above: -1 },
    ],
  ])('%j is shown as %j', async (field, expected) => {
    expect(await shown(field)).toEqual(expected);
  });

  test.each([
    [{ type: 'keyword', ignore_above: 1.5 }, '1.5 is not an integer value'],
    [{ type: 'long', null_value: 1.5 }, 'Value [1.5] has a decimal part'],
    [{ type: 'byte', null_value: '0.5' }, 'Value [0.5] has a decimal part'],
    [{ type: 'keyword', copy_to: null }, '[copy_to] on mapper [f] of type [keyword] must not have a [null] value'],
    [{ type: 'long', on_script_error: 'continue' }, 'Field [on_script_error] requires field [script] to be configured'],
  ])('%j is refused', async (field, reason) => {
    expect(await shown(field)).toContain(reason);
  });

  test.each([
    { type: 'long', index_options: 'x', similarity: 5, boost: 2 },
    { type: 'text', doc_values: 'x' },
    { type: 'geo_point', boost: 2, similarity: 'x' },
    { type: 'binary', index: false },
  ])('parameters that all types once had: %j', async (field) => {
    const answer = await shown(field);
    if (flavor === 'opensearch') expect(answer).toEqual({ type: field.type });
    else expect(answer).toContain('unknown parameter');
  });

  test('boost of text is refused, since it would have an effect', async () => {
    expect(await shown({ type: 'text', boost: 2 })).toContain('unknown parameter [boost]');
  });
});
