// Contexts of completion fields: categories and places select and boost suggestions.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const contexts = [
    { name: 'color', type: 'category' },
    { name: 'place', type: 'geo', precision: 4 },
  ];
  const properties = {
    s: { type: 'completion', contexts },
    tag: { type: 'keyword' },
    at: { type: 'geo_point' },
    byTag: { type: 'completion', contexts: { name: 'tag', type: 'category', path: 'tag' } },
    byPlace: { type: 'completion', contexts: [{ name: 'at', type: 'geo', precision: '10km', path: 'at' }] },
    plain: { type: 'completion' },
  };
  await node.ok('PUT /c', { mappings: { properties } });
  const berlin = { lat: 52.5, lon: 13.4 };
  const docs: Record<string, object> = {
    1: {
      s: { input: ['nevermind', 'never say'], weight: 5, contexts: { color: ['red', 'green'], place: berlin } },
      byTag: 'alpha one',
      tag: 'x',
    },
    2: { s: [{ input: 'never mind', weight: 3, contexts: { color: 'blue', place: [berlin] } }], byTag: 'alpha two', tag: ['x', 'y'] },
    3: { s: { input: 'nevada', weight: 9, contexts: { color: 'red' } }, at: '48.1,11.5', byPlace: 'munich' },
    4: { s: { input: 'nevis', weight: 1, contexts: { place: 'u33' } } },
    5: { s: { input: 'neverboth', weight: 0, contexts: { color: [1, true], place: [13.4, 52.5] } } },
    6: { plain: { input: ['nevermind', 'never say'], weight: 5 } },
    7: { plain: { input: 'nevxrmint', weight: 3 } },
    8: { plain: { input: 'nvermind', weight: 0 } },
  };
  for (const [id, doc] of Object.entries(docs)) await node.ok(`PUT /c/_doc/${id}`, doc);
  await node.ok('POST /c/_refresh');
});

afterAll(() => node.close());

async function options(completion: object, prefix = 'ne'): Promise<any[]> {
  const { suggest } = await node.ok('POST /c/_search', { _source: false, suggest: { a: { prefix, completion } } });
  return suggest.a[0].options;
}

const shown = (found: any[]) => found.map(({ text, _score }) => [text, _score]);

describe('categories', () => {
  test('select inputs and are shown', async () => {
    const found = await options({ field: 's', contexts: { color: 'red' } });
    expect(found.map(({ text, contexts }) => [text, contexts])).toEqual([
      ['nevada', { color: ['red'] }],
      ['never say', { color: ['red'] }],
    ]);
    expect(shown(await options({ field: 's', contexts: { color: [1] } }))).toEqual([['neverboth', 1]]);
  });

  test('boosts multiply weights, prefixes select several', async () => {
    const color = [
      { context: 'red', boost: 3 },
      { context: 'bl', boost: 4, prefix: true },
    ];
    expect(shown(await options({ field: 's', contexts: { color } }))).toEqual([
      ['nevada', 27],
      ['never say', 15],
      ['never mind', 12],
    ]);
  });

  test('of another field', async () => {
    expect(shown(await options({ field: 'byTag', contexts: { tag: 'x' } }, 'al'))).toEqual([
      ['alpha one', 1],
      ['alpha two', 1],
    ]);
    expect(shown(await options({ field: 'byTag', contexts: { tag: 'y' } }, 'al'))).toEqual([['alpha two', 1]]);
  });
});

describe('places', () => {
  test('select inputs in the same cell and those around it', async () => {
    const found = await options({ field: 's', contexts: { place: { lat: 52.5, lon: 13.4 } } });
    expect(found.map(({ text }) => text)).toEqual(['never say', 'never mind', 'neverboth']);
    expect(await options({ field: 's', contexts: { place: { lat: 53.5, lon: 13.4 } } })).toEqual([]);
  });

  test('larger cells and neighbours select more', async () => {
    const context = { lat: 52.5, lon: 13.4 };
    const wide = await options({ field: 's', contexts: { place: { context, precision: 2, boost: 4 } } });
    expect(shown(wide)).toEqual([
      ['never say', 20],
      ['never mind', 12],
      ['neverboth', 4],
      ['nevis', 4],
    ]);
    const near = await options({ field: 's', contexts: { place: { context, neighbours: [3] } } });
    expect(near).toHaveLength(4);
  });

  test('of another field, whose cells are shown', async () => {
    const [found] = await options({ field: 'byPlace', contexts: { at: { lat: 48.1, lon: 11.5 } } }, 'm');
    expect(found).toMatchObject({ text: 'munich', contexts: { at: ['u281'] } });
  });
});

test('of many selected contexts the largest boost counts', async () => {
  const many = Array.from({ length: 50_000 }, (_, i) => ({ context: `c${i}`, boost: 2 }));
  const color = [...many, { context: 'r', prefix: true, boost: 3 }, { context: 'red', boost: 2 }, { context: '', prefix: true }];
  const found = await options({ field: 's', contexts: { color } });
  expect(found.map(({ text, contexts }) => [text, contexts.color])).toEqual(
    (
      await options({
        field: 's',
        contexts: {
          color: [
            { context: 'r', prefix: true, boost: 3 },
            { context: '', prefix: true },
          ],
        },
      })
    ).map(({ text, contexts }) => [text, contexts.color]),
  );
  expect(shown(found)[0]).toEqual(['nevada', 27]);
});

test('contexts survive a restart', async () => {
  await node.restart();
  expect(shown(await options({ field: 's', contexts: { color: 'red' } }))).toEqual([
    ['nevada', 9],
    ['never say', 5],
  ]);
});

test('a fuzzy match is boosted by the length of what it shares with the text', async () => {
  expect(shown(await options({ field: 'plain', fuzzy: { fuzziness: 2 } }, 'nevermi'))).toEqual([
    ['never say', 25],
    ['nevxrmint', 9],
    ['nvermind', 1],
  ]);
  expect(shown(await options({ field: 'plain', fuzzy: true }))).toEqual([
    ['never say', 10],
    ['nevxrmint', 6],
  ]);
  expect(shown(await options({ field: 's', contexts: { color: 'red' }, fuzzy: true }))).toEqual([
    ['nevada', 27],
    ['never say', 15],
  ]);
});

test('duplicates are skipped, and only the first context of one is shown', async () => {
  const found = await options({ field: 's', contexts: { color: ['red', 'green'] }, skip_duplicates: true });
  expect(found.map(({ contexts }) => contexts)).toEqual([{ color: ['red'] }, { color: ['green'] }]);
});

test('mappings show all parameters, and types in capitals', async () => {
  const { c } = await node.ok('GET /c/_mapping');
  expect(c.mappings.properties.byPlace).toEqual({
    type: 'completion',
    analyzer: 'simple',
    preserve_separators: true,
    preserve_position_increments: true,
    max_input_length: 50,
    contexts: [{ name: 'at', type: 'GEO', precision: 4, path: 'at' }],
  });
});

test.each([
  ['1m', 10],
  ['10m', 8],
  ['1km', 6],
  ['50km', 4],
  ['5000km', 1],
  [3, 3],
])('precision %s is a geohash of length %i', async (precision, length) => {
  await node.ok('PUT /p', { mappings: { properties: { s: { type: 'completion', contexts: [{ name: 'a', type: 'geo', precision }] } } } });
  const { p } = await node.ok('GET /p/_mapping');
  await node.ok('DELETE /p');
  expect(p.mappings.properties.s.contexts[0].precision).toBe(length);
});

describe('errors', () => {
  test.each([
    [{ s: 'neverland' }, 'Contexts are mandatory in context enabled completion field [s]'],
    [{ s: { input: 'a', contexts: { size: 'red' } } }, 'Unknown context name [size], must be one of [color, place]'],
    [{ s: { input: 'a', contexts: { color: [{}] } } }, 'context array must have string, number or boolean values, but was [START_OBJECT]'],
    [{ plain: { input: 'a', contexts: { color: 'red' } } }, 'contexts field is not supported for field: [plain]'],
  ])('document %j', async (doc, reason) => {
    const { status, text } = await node.send('PUT /c/_doc/bad', doc);
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });

  test.each([
    [{ field: 's' }, 'Missing mandatory contexts in context query'],
    [{ field: 's', contexts: { size: 'red' } }, 'Unknown context name [size], must be one of [color, place]'],
    [{ field: 's', contexts: [] }, "[completion] contexts doesn't support values of type: START_ARRAY"],
    [{ field: 's', contexts: { color: null } }, 'category context must be an object, string, number or boolean'],
    [{ field: 's', contexts: { color: { context: 'red', boost: 0 } } }, 'category context must be a string, number or boolean'],
    [{ field: 's', contexts: { place: 5 } }, 'geo context must be an object or string'],
    [{ field: 's', contexts: { place: { context: { lat: 1, lon: 2 }, precision: 14 } } }, 'precision must be between 1 and 12'],
    [{ field: 'plain', contexts: { color: 'red' } }, "suggester [plain] doesn't expect any context"],
  ])('request %j', async (completion, reason) => {
    const { status, text } = await node.send('POST /c/_search', { suggest: { a: { prefix: 'ne', completion } } });
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });

  test.each([
    [[], 'expected at least one context mapping'],
    [[{ name: 'a' }], 'missing [type] in context mapping'],
    [[{ type: 'geo' }], 'missing [name] in context mapping'],
    [[{ name: 'a', type: 'size' }], 'No context type for [size]'],
    [[{ name: 'a', type: 'category', more: 1 }], 'Mapping definition for [a] has unsupported parameters:  [more : 1]'],
    [[{ name: 'a', type: 'geo', path: 'n' }], 'field [n] referenced in context [a] must be mapped to geo_point, found [long]'],
    [[{ name: 'a', type: 'geo', path: 'm' }], 'field [m] referenced in context [a] is not defined in the mapping'],
    [
      Array.from({ length: 11 }, (_, i) => ({ name: `a${i}`, type: 'category' })),
      'Limit of completion field contexts [10] has been exceeded',
    ],
  ])('mapping %j', async (contexts, reason) => {
    const { status, text } = await node.send('PUT /m', {
      mappings: { properties: { n: { type: 'long' }, s: { type: 'completion', contexts } } },
    });
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });
});
