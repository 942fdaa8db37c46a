/** `_synonyms`: sets and rules, filters that name a set, reloading, persistence and refusals. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

const RULES = [
  { id: 'greeting', synonyms: 'hello, hi' },
  { id: 'bye', synonyms: 'bye => goodbye' },
];

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /_synonyms/words', { synonyms_set: RULES });
  const filter = { own: { type: 'synonym_graph', synonyms_set: 'words', updateable: true } };
  const analyzer = { searching: { tokenizer: 'standard', filter: ['lowercase', 'own'] } };
  const text = { type: 'text', analyzer: 'standard', search_analyzer: 'searching' };
  await node.ok('PUT /notes', { settings: { analysis: { filter, analyzer } }, mappings: { properties: { text } } });
  await node.ok('PUT /notes/_doc/1?refresh=true', { text: 'Hi there' });
});
afterAll(() => node.close());

const hits = async (text: string): Promise<number> =>
  (await node.ok('POST /notes/_search', { query: { match: { text } } })).hits.total.value;
const refusal = async (line: string, body?: unknown) => {
  const { status, json } = await node.send(line, body);
  return [status, json.error.reason, json.error.caused_by?.reason];
};

describe('sets', () => {
  test('rules are listed by id, in pages', async () => {
    expect(await node.ok('GET /_synonyms/words')).toEqual({ count: 2, synonyms_set: [RULES[1], RULES[0]] });
    expect(await node.ok('GET /_synonyms/words?from=1&size=1')).toEqual({ count: 2, synonyms_set: [RULES[0]] });
    expect(await node.ok('GET /_synonyms')).toEqual({ count: 1, results: [{ synonyms_set: 'words', count: 2 }] });
    expect(await node.ok('GET /_synonyms/words/bye')).toEqual(RULES[1]);
  });
  test('rules without an id get one', async () => {
    const { status, json } = await node.send('PUT /_synonyms/other', { synonyms_set: [{ synonyms: 'a, b' }] });
    expect([status, json.result]).toEqual([201, 'created']);
    const { synonyms_set } = await node.ok('GET /_synonyms/other');
    expect(synonyms_set).toEqual([{ id: expect.stringMatching(/.{20}/), synonyms: 'a, b' }]);
    expect(await node.ok('DELETE /_synonyms/other')).toEqual({ acknowledged: true });
    expect((await node.send('GET /_synonyms/other')).status).toBe(404);
  });
  test('malformed and missing ones are refused', async () => {
    expect(await refusal('PUT /_synonyms/x', {})).toEqual([400, 'Failed to parse: {}', 'Required [synonyms_set]']);
    expect(await refusal('PUT /_synonyms/x', { synonyms_set: [{ synonyms: '' }, { synonyms: 'a => b => c' }] })).toEqual([
      400,
      "Validation Failed: 1: [synonyms] field can't be empty;2: More than one explicit mapping specified in the same synonyms rule: [a => b => c];",
      undefined,
    ]);
    expect(await refusal('GET /_synonyms?from=-1')).toEqual([400, 'Validation Failed: 1: [from] must be a positive integer;', undefined]);
    expect(await refusal('PUT /_synonyms/x/1', { synonyms: 'a,b' })).toEqual([404, 'synonyms set [x] not found', undefined]);
    expect(await refusal('DELETE /_synonyms/words/x')).toEqual([404, 'synonym rule [x] not found on synonyms set [words]', undefined]);
    const many = Array.from({ length: 10_001 }, (_, i) => ({ id: String(i), synonyms: 'a, b' }));
    expect((await refusal('PUT /_synonyms/x', { synonyms_set: many }))[1]).toContain('cannot exceed 10000');
  });
});

describe('filters that name a set', () => {
  test('apply its rules, and a changed rule at once', async () => {
    expect([await hits('hello'), await hits('howdy')]).toEqual([1, 0]);
    const { result, reload_analyzers_details } = await node.ok('PUT /_synonyms/words/greeting', { synonyms: 'hello, hi, howdy' });
    expect([result, reload_analyzers_details.reload_details]).toEqual([
      'updated',
      [{ index: 'notes', reloaded_analyzers: ['searching'], reloaded_node_ids: [expect.any(String)] }],
    ]);
    expect([await hits('hello'), await hits('howdy')]).toEqual([1, 1]);
    expect((await node.ok('DELETE /_synonyms/words/greeting')).result).toBe('deleted');
    expect([await hits('hello'), await hits('hi')]).toEqual([0, 1]);
  });
  test('omit rules that the analyzer refuses', async () => {
    await node.ok('PUT /_synonyms/words', { synonyms_set: [...RULES, { id: 'odd', synonyms: 'hi, !!' }] });
    expect(await hits('hello')).toBe(1);
  });
  test('protect the set from deletion, and need one that exists', async () => {
    expect((await refusal('DELETE /_synonyms/words'))[1]).toBe(
      'synonyms set [words] cannot be deleted as it is used in the following indices: notes',
    );
    const filter = { own: { type: 'synonym', synonyms_set: 'nothing' } };
    const analyzer = { own: { tokenizer: 'standard', filter: ['own'] } };
    const { status, json } = await node.send('PUT /more', { settings: { analysis: { filter, analyzer } } });
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('synonyms set [nothing] not found')]);
  });
  test('have the rules again after a restart', async () => {
    await node.restart();
    expect((await node.ok('GET /_synonyms/words')).count).toBe(3);
    expect(await hits('hello')).toBe(1);
  });
});
