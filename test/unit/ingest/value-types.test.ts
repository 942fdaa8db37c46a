// Values keep their type in pipelines: doubles stay doubles, and values become strings as Java prints them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

/** The text of the answer to a simulation of processors on a document that is given as text. */
async function simulate(processors: string, source: string, path = '/_ingest/pipeline/_simulate'): Promise<string> {
  const body = `{"pipeline":{"processors":[${processors}]},"docs":[{"_source":${source}}]}`;
  return (await node.send(`POST ${path}`, body)).text.replace(/,"timestamp":"[^"]*"|"timestamp":"[^"]*",?/g, '');
}

const sourceOf = (text: string): string => /"_source":(.*),"_ingest"/.exec(text)?.[1] ?? text;

test.each([
  ['{"set":{"field":"x","value":[1.0,{"a":2e3}]}}', '{"f":1.0}', '{"f":1.0,"x":[1.0,{"a":2000.0}]}'],
  [
    '{"script":"ctx.x = ctx.f; ctx.y = 2.0; ctx.z = 1L; ctx.w = ctx.f instanceof Double"}',
    '{"f":1.0}',
    '{"f":1.0,"x":1.0,"y":2.0,"z":1,"w":true}',
  ],
  ['{"script":{"source":"ctx.x = params.a","params":{"a":[1.0,1]}}}', '{}', '{"x":[1.0,1]}'],
  ['{"json":{"field":"f"}}', '{"f":"{\\"a\\":1.0,\\"b\\":1}"}', '{"f":{"a":1.0,"b":1}}'],
  ['{"json":{"field":"f"}}', '{"f":" "}', '{"f":null}'],
  ['{"convert":{"field":"f","type":"double"}}', '{"f":["1","1e20","0.5"]}', '{"f":[1.0,1.0E20,0.5]}'],
  ['{"convert":{"field":"f","type":"float"}}', '{"f":["1","0.1","NaN"]}', '{"f":[1.0,0.1,"NaN"]}'],
  ['{"convert":{"field":"f","type":"string"}}', '{"f":[1.0,1e20,5,true,{"a":[1.0]}]}', '{"f":["1.0","1.0E20","5","true","{a=[1.0]}"]}'],
  ['{"convert":{"field":"f","type":"auto","target_field":"{{f}}"}}', '{"f":"1.0"}', '{"f":"1.0","{{f}}":1.0}'],
  ['{"join":{"field":"f","separator":"-"}}', '{"f":[1.0,{"a":"x"},[2]]}', '{"f":"1.0-{a=x}-[2]"}'],
  ['{"sort":{"field":"f"}}', '{"f":[10.0,9.5,2.0]}', '{"f":[2.0,9.5,10.0]}'],
  ['{"set":{"field":"x","value":"{{f}} {{g}} {{g.0}}"}}', '{"f":1.0,"g":[2.0,"a"]}', '{"f":1.0,"g":[2.0,"a"],"x":"1.0 {0=2.0, 1=a} 2.0"}'],
  ['{"append":{"field":"f","value":"x"}}', '{"f":1.0}', '{"f":[1.0,"x"]}'],
  ['{"append":{"field":"f","value":"x"}}', '{"f":null}', '{"f":[null,"x"]}'],
  ['{"rename":{"field":"f","target_field":"g.h"}}', '{"f":1.0}', '{"g":{"h":1.0}}'],
  ['{"set":{"field":"a..b","value":1}}', '{}', '{"a":{"":{"b":1}}}'],
  ['{"set":{"field":"b..","value":1}}', '{}', '{"b":1}'],
])('%s on %s', async (processors, source, expected) => {
  expect(sourceOf(await simulate(processors, source))).toBe(expected);
});

test.each([
  ['{"convert":{"field":"f","type":"integer"}}', '{"f":1.0}', 'unable to convert [1.0] to integer'],
  ['{"uppercase":{"field":"f"}}', '{"f":1.0}', 'field [f] of type [java.lang.Double] cannot be cast to [java.lang.String]'],
  ['{"set":{"field":"f.a","value":1}}', '{"f":1.0}', 'cannot set [a] with parent object of type [java.lang.Double] as part of path [f.a]'],
  ['{"sort":{"field":"f"}}', '{"f":[1.0,1]}', 'class java.lang.Integer cannot be cast to class java.lang.Double'],
  ['{"convert":{"field":"f","type":"string"}}', '{"f":[null]}', 'Field [f] is null, cannot be converted to type [string]'],
  ['{"join":{"field":"f","separator":"-"}}', '{"f":[null]}', 'field [f] contains null, cannot join.'],
])('%s fails on %s', async (processors, source, reason) => {
  expect(JSON.parse(await simulate(processors, source)).docs[0].error.reason).toBe(reason);
});

test.each([
  ['{"set":{"field":"x","value":["{{#a}}"]}}', 'script_exception'],
  ['{"set":{"field":"{{#a}}","value":1}}', 'script_exception'],
  ['{"set":{"field":"x","value":1,"if":5}}', 'parse_exception'],
  ['{"csv":{"field":"x","target_fields":["a"],"empty_value":null}}', 'parse_exception'],
])('%s is refused', async (processors, type) => {
  expect(JSON.parse(await simulate(processors, '{}'))).toMatchObject({ status: 400, error: { type } });
});

test('a verbose simulation names the running pipeline, metadata are strings', async () => {
  await node.ok('PUT /_ingest/pipeline/inner', { processors: [{ set: { field: 'b', value: 1 } }] });
  const body = {
    pipeline: { processors: [{ set: { field: 'a', value: 1 } }, { pipeline: { name: 'inner' } }] },
    docs: [{ _source: {}, _version: 3 }],
  };
  const { docs } = await node.ok('POST /_ingest/pipeline/_simulate?verbose=true', body);
  const results = docs[0].processor_results.filter(({ doc }: { doc?: unknown }) => doc !== undefined);
  expect(results.map(({ doc }: { doc: any }) => [doc._ingest.pipeline, doc._version])).toEqual([
    ['_simulate_pipeline', '3'],
    ['inner', '3'],
  ]);
  expect((await node.ok('POST /_ingest/pipeline/_simulate', body)).docs[0].doc._ingest).not.toHaveProperty('pipeline');
});

test('doubles that pipelines and scripts write are mapped as floats', async () => {
  await node.ok('PUT /_ingest/pipeline/p', { processors: [{ script: { source: 'ctx.y = 2.0' } }] });
  await node.ok('PUT /i/_doc/1?pipeline=p&refresh=true', '{"x":1.0,"n":1}');
  const text = async () => (await node.send('GET /i/_source/1')).text;
  expect(await text()).toBe('{"x":1.0,"n":1,"y":2.0}');
  await node.ok('POST /i/_update/1', '{"script":{"source":"ctx._source.z = 3.0; ctx._source.p = params.p","params":{"p":4.0}}}');
  expect(await text()).toBe('{"x":1.0,"n":1,"y":2.0,"z":3.0,"p":4.0}');
  await node.ok('POST /i/_refresh');
  await node.ok('POST /i/_update_by_query', { script: { source: 'ctx._source.q = ctx._source.x + 4' } });
  expect(await text()).toBe('{"x":1.0,"n":1,"y":2.0,"z":3.0,"p":4.0,"q":5.0}');
  await node.ok('POST /i/_update/2', '{"script":{"source":"ctx._source.a = 1.0"},"scripted_upsert":true,"upsert":{"b":1.0}}');
  expect((await node.send('GET /i/_source/2')).text).toBe('{"b":1.0,"a":1.0}');
  const { properties } = (await node.ok('GET /i/_mapping')).i.mappings;
  expect(Object.fromEntries(Object.entries<any>(properties).map(([name, { type }]) => [name, type]))).toEqual({
    ...Object.fromEntries([...'xyzpqab'].map((name) => [name, 'float'])),
    n: 'long',
  });
});
