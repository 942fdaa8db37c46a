// Synthetic sources: what a document becomes, as Elasticsearch 8.15 answers; updates, refusals, a restart.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const MAPPINGS = {
  _source: { mode: 'synthetic' },
  properties: {
    k: { type: 'keyword' },
    ks: { type: 'keyword', doc_values: false, store: true },
    kn: { type: 'keyword', doc_values: false },
    ki: { type: 'keyword', ignore_above: 3 },
    knv: { type: 'keyword', null_value: 'NIL' },
    l: { type: 'long' },
    ln: { type: 'long', null_value: 7 },
    lm: { type: 'long', ignore_malformed: true },
    lnd: { type: 'long', doc_values: false },
    i: { type: 'integer' },
    f: { type: 'float' },
    hf: { type: 'half_float' },
    d: { type: 'double' },
    b: { type: 'boolean' },
    by: { type: 'byte' },
    dt: { type: 'date' },
    dtf: { type: 'date', format: 'yyyy/MM/dd||epoch_millis' },
    dn: { type: 'date_nanos' },
    ip: { type: 'ip' },
    gp: { type: 'geo_point' },
    t: { type: 'text', store: true },
    tk: { type: 'text', fields: { raw: { type: 'keyword' } } },
    tki: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 3 } } },
    fl: { type: 'flattened' },
    ir: { type: 'integer_range' },
    dr: { type: 'date_range' },
    ipr: { type: 'ip_range' },
    fr: { type: 'float_range' },
    bin: { type: 'binary', doc_values: true },
    comp: { type: 'completion' },
    o: { type: 'object', properties: { a: { type: 'long' }, b: { type: 'keyword' }, p: { properties: { q: { type: 'long' } } } } },
    od: { type: 'object', enabled: false },
    ond: { type: 'object', dynamic: false },
    oas: { type: 'object', store_array_source: true, properties: { a: { type: 'long' } } },
    n: { type: 'nested', properties: { a: { type: 'long' }, b: { type: 'keyword' } } },
    nas: { type: 'nested', store_array_source: true, properties: { a: { type: 'long' } } },
    os: { type: 'object', subobjects: false },
    z: { type: 'long' },
    aa: { type: 'keyword' },
    al: { type: 'alias', path: 'k' },
  },
};

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', { mappings: MAPPINGS });
});
afterAll(() => node.close());

/** The source in the text of a response. */
async function sourceOf(line: string): Promise<string> {
  const { text } = await node.send(line);
  return text.slice(text.indexOf('"_source":') + '"_source":'.length, -1);
}

/** Sources as sent, and as Elasticsearch shows them. */
const SOURCES: ReadonlyArray<readonly [string, string]> = [
  ['{"z":1,"aa":"x","k":"q"}', '{"aa":"x","k":"q","z":1}'],
  ['{"k":["c","a","b","a"]}', '{"k":["a","b","c"]}'],
  ['{"k":null}', '{}'],
  ['{"k":[]}', '{}'],
  ['{"k":["x",null]}', '{"k":"x"}'],
  ['{"k":[null]}', '{}'],
  ['{"k":5}', '{"k":"5"}'],
  ['{"k":true}', '{"k":"true"}'],
  ['{"k":[["b","a"],"c"]}', '{"k":["a","b","c"]}'],
  ['{"ks":["c","a","a"]}', '{"ks":["c","a","a"]}'],
  ['{"kn":["c","a","a"]}', '{"kn":["c","a","a"]}'],
  ['{"kn":"x"}', '{"kn":"x"}'],
  ['{"kn":[]}', '{"kn":[]}'],
  ['{"kn":null}', '{"kn":null}'],
  ['{"ki":["long one","ab","aa","another long"]}', '{"ki":["aa","ab","long one","another long"]}'],
  ['{"ki":"toolong"}', '{"ki":"toolong"}'],
  ['{"knv":null}', '{"knv":"NIL"}'],
  ['{"knv":["b",null,"a"]}', '{"knv":["NIL","a","b"]}'],
  ['{"l":[3,1,2,1]}', '{"l":[1,1,2,3]}'],
  ['{"l":"5"}', '{"l":5}'],
  ['{"l":3.7}', '{"l":3}'],
  ['{"l":[]}', '{}'],
  ['{"l":null}', '{}'],
  ['{"l":9223372036854775807}', '{"l":9223372036854775807}'],
  ['{"ln":null}', '{"ln":7}'],
  ['{"ln":[null,3]}', '{"ln":[3,7]}'],
  ['{"lm":["bad",3,"x",1,"2"]}', '{"lm":[1,2,3,"bad","x"]}'],
  ['{"lm":"bad"}', '{"lm":"bad"}'],
  ['{"lnd":[3,1]}', '{"lnd":[3,1]}'],
  ['{"lnd":"4"}', '{"lnd":"4"}'],
  ['{"lm":[1,true]}', '{"lm":[1,true]}'],
  [
    '{"i":"7","f":[1.5,0.1,3],"hf":[1.234567,65504],"d":[1,0.1,1e+300],"b":["true",false,"",true],"by":[5,-5]}',
    '{"b":[false,false,true,true],"by":[-5,5],"d":[0.1,1.0,1.0E300],"f":[0.1,1.5,3.0],"hf":[1.234375,65504.0],"i":7}',
  ],
  ['{"f":0.3,"d":0.3,"hf":0.3}', '{"d":0.3,"f":0.3,"hf":0.30004883}'],
  [
    '{"dt":["2024-01-02","2023-05-06T07:08:09.123456Z",1700000000000]}',
    '{"dt":["2023-05-06T07:08:09.123Z","2023-11-14T22:13:20.000Z","2024-01-02T00:00:00.000Z"]}',
  ],
  ['{"dt":"2024-01-02"}', '{"dt":"2024-01-02T00:00:00.000Z"}'],
  ['{"dtf":["2024/01/02",1700000000000]}', '{"dtf":["2023/11/14","2024/01/02"]}'],
  ['{"dtf":"2024/01/02"}', '{"dtf":"2024/01/02"}'],
  ['{"dn":["2024-01-02T03:04:05.123456789Z","2024-01-02"]}', '{"dn":["2024-01-02T00:00:00.000Z","2024-01-02T03:04:05.123456789Z"]}'],
  ['{"ip":["10.0.0.2","::1","10.0.0.1","2001:db8:0:0::1"]}', '{"ip":["::1","10.0.0.1","10.0.0.2","2001:db8::1"]}'],
  [
    '{"gp":[{"lat":1.1,"lon":2.2},"3,4",[5.5,6.6]]}',
    '{"gp":[{"lat":1.0999999847263098,"lon":2.1999999694526196},{"lat":2.999999988824129,"lon":3.9999999292194843},{"lat":6.59999999217689,"lon":5.499999923631549}]}',
  ],
  ['{"gp":[1.23456789,2.3456789]}', '{"gp":{"lat":2.345678871497512,"lon":1.2345678359270096}}'],
  ['{"gp":{"type":"Point","coordinates":[1,2]}}', '{"gp":{"lat":1.9999999646097422,"lon":0.9999999403953552}}'],
  ['{"t":["b","a","b"]}', '{"t":["b","a","b"]}'],
  ['{"t":"hello"}', '{"t":"hello"}'],
  ['{"t":[null,"a"]}', '{"t":"a"}'],
  ['{"tk":["b","a","b"]}', '{"tk":["a","b"]}'],
  ['{"tki":["long text","a","b","a"]}', '{"tki":["a","b","long text"]}'],
  ['{"fl":{"b":"1","a":["y","x","x"],"c":{"e":5,"d":true},"n":null}}', '{"fl":{"a":["x","y"],"b":"1","c":{"d":"true","e":"5"}}}'],
  ['{"fl":[{"a":1},{"a":2,"b":3}]}', '{"fl":{"a":["1","2"],"b":"3"}}'],
  ['{"fl":{}}', '{}'],
  ['{"fl":{"a.b":1}}', '{"fl":{"a":{"b":"1"}}}'],
  ['{"ir":{"gt":1,"lt":5}}', '{"ir":{"gte":2,"lte":4}}'],
  ['{"ir":[{"gte":3},{"lte":9}]}', '{"ir":[{"gte":null,"lte":9},{"gte":3,"lte":null}]}'],
  ['{"ir":{"gte":null,"lte":4}}', '{"ir":{"gte":null,"lte":4}}'],
  ['{"dr":{"gte":"2024-01-01","lt":"2024-02-01"}}', '{"dr":{"gte":"2024-01-01T00:00:00.000Z","lte":"2024-01-31T23:59:59.999Z"}}'],
  ['{"ipr":"10.0.0.0/8"}', '{"ipr":{"gte":"10.0.0.0","lte":"10.255.255.255"}}'],
  ['{"ipr":{"gte":"::1","lte":"::5"}}', '{"ipr":{"gte":"::1","lte":"::5"}}'],
  ['{"fr":{"gt":1.5,"lt":2}}', '{"fr":{"gte":1.5000001,"lte":1.9999999}}'],
  ['{"bin":["aGVsbG8=","AAA="]}', '{"bin":["AAA=","aGVsbG8="]}'],
  ['{"bin":"aGVsbG8="}', '{"bin":"aGVsbG8="}'],
  ['{"comp":"hello"}', '{"comp":"hello"}'],
  ['{"comp":{"input":["b","a"],"weight":3}}', '{"comp":{"input":["b","a"],"weight":3}}'],
  ['{"o":{"b":"x","a":1}}', '{"o":{"a":1,"b":"x"}}'],
  ['{"o":[{"a":1,"b":"x"},{"a":0},{"b":"y"}]}', '{"o":{"a":[0,1],"b":["x","y"]}}'],
  ['{"o.a":1,"o":{"b":"z"}}', '{"o":{"a":1,"b":"z"}}'],
  ['{"o.p.q":5}', '{"o":{"p":{"q":5}}}'],
  ['{"o":{"p":[{"q":2},{"q":1}]}}', '{"o":{"p":{"q":[1,2]}}}'],
  ['{"o":{}}', '{}'],
  ['{"o":null}', '{}'],
  ['{"o":{"a":null}}', '{}'],
  ['{"o":[]}', '{}'],
  ['{"o":[{}]}', '{}'],
  ['{"od":{"z":[3,1],"a":null}}', '{"od":{"z":[3,1],"a":null}}'],
  ['{"od":5}', '{"od":5}'],
  ['{"od":[{"b":1},"x"]}', '{"od":[{"b":1},"x"]}'],
  ['{"ond":{"z":[3,1],"a":{"c":1}}}', '{"ond":{"a":{"c":1},"z":[3,1]}}'],
  ['{"ond":[{"x":1},{"x":2}]}', '{"ond":[{"x":1},{"x":2}]}'],
  ['{"oas":[{"a":3},{"a":1}]}', '{"oas":[{"a":3},{"a":1}]}'],
  ['{"oas":{"a":[3,1]}}', '{"oas":{"a":[1,3]}}'],
  ['{"oas":[{"a":3}]}', '{"oas":[{"a":3}]}'],
  ['{"oas":[]}', '{"oas":[]}'],
  ['{"n":[{"a":2,"b":["z","y"]},{"a":1}]}', '{"n":[{"a":2,"b":["y","z"]},{"a":1}]}'],
  ['{"n":{"a":5}}', '{"n":{"a":5}}'],
  ['{"n":[]}', '{}'],
  ['{"nas":[{"a":2},{"a":[3,1]}]}', '{"nas":[{"a":2},{"a":[3,1]}]}'],
  ['{"nas":{"a":[3,1]}}', '{"nas":{"a":[3,1]}}'],
  ['{"n":{"zz":5}}', '{"n":{"zz":5}}'],
  ['{"os":{"a.b":1,"c":{"d":2}}}', '{"os":{"a.b":1,"c.d":2}}'],
  ['{"os":{"c.d":[2,1],"a":"text"}}', '{"os":{"a":"text","c.d":[1,2]}}'],
  ['{"new":5,"newo":{"x":"text here","y":[3,1]}}', '{"new":5,"newo":{"x":"text here","y":[1,3]}}'],
  ['{"dyn.a":1}', '{"dyn":{"a":1}}'],
];

test.each(SOURCES)('%s becomes %s', async (sent, expected) => {
  await node.ok('PUT /docs/_doc/1', sent);
  expect(await sourceOf('GET /docs/_doc/1')).toBe(expected);
});

test('updates change the synthetic source, searches highlight it, and a restart keeps it', async () => {
  const mappings = { _source: { mode: 'synthetic' } };
  await node.ok('PUT /changed', { mappings });
  await node.ok('PUT /changed/_doc/1', { x: 'dynamic text', b: [{ c: 2 }, { c: 1 }] });
  await node.ok('POST /changed/_update/1?refresh=true', { doc: { b: { d: [2, 1] } } });
  const expected = '{"b":{"c":[1,2],"d":[1,2]},"x":"dynamic text"}';
  expect(await sourceOf('GET /changed/_doc/1')).toBe(expected);
  const { hits } = await node.ok('POST /changed/_search', { query: { match: { x: 'dynamic' } }, highlight: { fields: { x: {} } } });
  expect(hits.hits[0].highlight.x).toEqual(['<em>dynamic</em> text']);
  await node.ok('POST /_reindex?refresh=true', { source: { index: 'changed' }, dest: { index: 'plain' } });
  expect(await sourceOf('GET /plain/_doc/1')).toBe(expected);
  await node.restart();
  expect(await sourceOf('GET /changed/_doc/1')).toBe(expected);
  expect((await node.ok('GET /changed/_mapping')).changed.mappings._source).toEqual({ mode: 'synthetic' });
});

const NO_STRINGS = 'unless it is stored or has a sub-field of type [keyword] with doc values or stored and without a normalizer';

test.each([
  [{ a: { type: 'text' } }, `field [a] of type [text] doesn't support synthetic source ${NO_STRINGS}`],
  [
    { a: { type: 'keyword', normalizer: 'lowercase' } },
    "field [a] of type [keyword] doesn't support synthetic source because it declares a normalizer",
  ],
  [
    { o: { properties: { a: { type: 'long', copy_to: 'b' } } } },
    "field [o.a] of type [long] doesn't support synthetic source because it declares copy_to",
  ],
  [{ a: { type: 'binary' } }, "field [a] of type [binary] doesn't support synthetic source because it doesn't have doc values"],
])('refuses %o', async (properties, reason) => {
  const { status, json } = await node.send('PUT /refused', { mappings: { _source: { mode: 'synthetic' }, properties } });
  expect([status, json.error.reason]).toEqual([400, reason]);
});

test.each([
  [{ mode: 'synthetic', includes: ['a'] }, 'Failed to parse mapping: filtering the stored _source is incompatible with synthetic source'],
  [{ mode: 'synthetic', enabled: false }, 'Failed to parse mapping: Cannot set both [mode] and [enabled] parameters'],
  [{ mode: 'x' }, 'Failed to parse mapping: No enum constant org.elasticsearch.index.mapper.SourceFieldMapper.Mode.X'],
])('refuses _source %o', async (_source, reason) => {
  const { status, json } = await node.send('PUT /refused', { mappings: { _source } });
  expect([status, json.error.reason]).toEqual([400, reason]);
});

test('the mode cannot leave synthetic, and disabled hides sources', async () => {
  await node.ok('PUT /fixed', { mappings: { _source: { mode: 'synthetic' } } });
  const { json } = await node.send('PUT /fixed/_mapping', { _source: { mode: 'stored' } });
  expect(json.error.reason).toContain('Cannot update parameter [mode] from [synthetic] to [stored]');
  await node.ok('PUT /hidden', { mappings: { _source: { mode: 'disabled' } } });
  await node.ok('PUT /hidden/_doc/1', { a: 1 });
  expect(await node.ok('GET /hidden/_doc/1')).not.toHaveProperty('_source');
});
