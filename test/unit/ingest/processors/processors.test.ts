import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/common/json/json-value.ts';
import { IngestDocument, type Pipeline } from '../../../../src/ingest/ingest-document.ts';
import { compilePipeline } from '../../../../src/ingest/pipeline.ts';
import { ProcessorFailure, runPipeline } from '../../../../src/ingest/run-pipeline.ts';
import { simulateVerbosely } from '../../../../src/ingest/simulate.ts';

const stored = new Map<string, Pipeline>();
const env = {
  pipeline: (id: string) => stored.get(id) ?? null,
  enrich: () => null,
  storedScript: () => ({ lang: 'painless', source: 'ctx.stored = params.v' }),
};

function documentOf(source: JsonObject): IngestDocument {
  return new IngestDocument(source, { _index: 'i', _id: '1' }, env, { timestamp: '2024-01-01T00:00:00.000Z' });
}

/** The source after the processors; null if the document is dropped; the error message if a processor failed. */
function run(processors: unknown[], source: JsonObject): JsonObject | null | string {
  const document = documentOf(source);
  try {
    return runPipeline(compilePipeline('p', { processors }), document) ? document.source() : null;
  } catch (error) {
    if (error instanceof ProcessorFailure) return `${error.error.type}: ${error.error.reason}`;
    throw error;
  }
}

const flow = {
  source: { ip: '128.232.110.120', port: 34855 },
  destination: { ip: '66.35.250.204', port: 80 },
  network: { transport: 'TCP' },
};

const SELF = 'illegal_argument_exception: Iterable object is self-referencing itself';

const cases: [string, unknown, JsonObject, JsonObject | null | string][] = [
  ['an object within itself', { convert: { field: 'a', type: 'auto', target_field: 'a.b' } }, { a: { c: 1 } }, SELF],
  ['a list within itself', { convert: { field: 'l', type: 'auto', target_field: 'l.0.b' } }, { l: [{ c: 1 }] }, SELF],
  [
    'an object within its own list',
    { foreach: { field: 'l', processor: { rename: { field: '_ingest._value', target_field: 'l.0.b' } } } },
    { l: [{ c: 1 }] },
    SELF,
  ],
  // The examples of the specification.
  ['community_id of TCP', { community_id: { target_field: 'id' } }, flow, { ...flow, id: '1:LQU9qZlK+B5F3KDmev6m5PMibrg=' }],
  [
    'community_id of the other direction',
    { community_id: { target_field: 'id' } },
    { source: flow.destination, destination: flow.source, network: { iana_number: 6 } },
    { source: flow.destination, destination: flow.source, network: { iana_number: 6 }, id: '1:LQU9qZlK+B5F3KDmev6m5PMibrg=' },
  ],
  ['community_id of an incomplete flow', { community_id: {} }, { source: { ip: '1.1.1.1' } }, { source: { ip: '1.1.1.1' } }],
  [
    'community_id that needs its fields',
    { community_id: { ignore_missing: false } },
    {},
    'illegal_argument_exception: unable to construct flow from document',
  ],
  [
    'network_direction',
    { network_direction: { internal_networks: ['private'] } },
    { source: { ip: '10.0.1.1' }, destination: { ip: '172.217.0.1' } },
    { source: { ip: '10.0.1.1' }, destination: { ip: '172.217.0.1' }, network: { direction: 'outbound' } },
  ],
  [
    'network_direction with ranges of a field',
    { network_direction: { internal_networks_field: 'nets', target_field: 'd' } },
    { nets: ['2001:db8::/32'], source: { ip: '8.8.8.8' }, destination: { ip: '2001:db8::1' } },
    { nets: ['2001:db8::/32'], source: { ip: '8.8.8.8' }, destination: { ip: '2001:db8::1' }, d: 'inbound' },
  ],
  [
    'uri_parts',
    { uri_parts: { field: 'a', target_field: 'u' } },
    { a: 'http://myusername:mypassword@www.example.com:80/foo.gif?key1=val1&key2=val2#fragment' },
    {
      a: 'http://myusername:mypassword@www.example.com:80/foo.gif?key1=val1&key2=val2#fragment',
      u: {
        domain: 'www.example.com',
        fragment: 'fragment',
        path: '/foo.gif',
        extension: 'gif',
        port: 80,
        query: 'key1=val1&key2=val2',
        scheme: 'http',
        user_info: 'myusername:mypassword',
        username: 'myusername',
        password: 'mypassword',
        original: 'http://myusername:mypassword@www.example.com:80/foo.gif?key1=val1&key2=val2#fragment',
      },
    },
  ],
  ['uri_parts of no URI', { uri_parts: { field: 'a' } }, { a: 'not:\\a' }, 'illegal_argument_exception: unable to parse URI [not:\\a]'],
  [
    'redact hides captures',
    { redact: { field: 'a', patterns: ['%{EMAILADDRESS:EMAIL}', '%{IP:CLIENT}'] } },
    { a: 'mail ann@b.org from 10.0.0.1 and 10.0.0.2' },
    { a: 'mail <EMAIL> from <CLIENT> and <CLIENT>' },
  ],
  ['redact of a missing field', { redact: { field: 'a', patterns: ['%{IP:I}'] } }, { b: 1 }, { b: 1 }],
  [
    'fingerprint needs its fields',
    { fingerprint: { fields: ['a', 'b'] } },
    { a: 1 },
    'illegal_argument_exception: missing field [b] when calculating fingerprint',
  ],
  ['fingerprint without any field', { fingerprint: { fields: ['a'], ignore_missing: true } }, { b: 1 }, { b: 1 }],
  [
    'set fills templates in',
    { set: { field: 'a.{{k}}', value: ['{{b.0}}', 1] } },
    { k: 'x', b: ['y'] },
    { k: 'x', b: ['y'], a: { x: ['y', 1] } },
  ],
  ['set leaves what is there', { set: { field: 'a', value: 1, override: false } }, { a: 0 }, { a: 0 }],
  ['set copies deeply', { set: { field: 'b', copy_from: 'a' } }, { a: { x: 1 } }, { a: { x: 1 }, b: { x: 1 } }],
  ['append without duplicates', { append: { field: 'a', value: ['x', 'y'], allow_duplicates: false } }, { a: ['x'] }, { a: ['x', 'y'] }],
  ['remove all but some', { remove: { exclude_field: ['a'] } }, { a: 1, b: 2 }, { a: 1 }],
  ['remove of metadata', { remove: { field: '_index' } }, {}, 'illegal_argument_exception: cannot remove metadata field [_index]'],
  [
    'rename over a field',
    { rename: { field: 'a', target_field: 'b' } },
    { a: 1, b: 2 },
    'illegal_argument_exception: field [b] already exists',
  ],
  ['rename inside objects', { rename: { field: 'a.b', target_field: 'c.d' } }, { a: { b: 1 } }, { a: {}, c: { d: 1 } }],
  ['copy and remove', { copy: { source_field: 'a', target_field: 'b', remove_source: true } }, { a: [1] }, { b: [1] }],
  ['dot_expander', { dot_expander: { field: 'a.b' } }, { 'a.b': 1, a: { c: 2 } }, { a: { b: 1, c: 2 } }],
  [
    'dot_expander over a value',
    { dot_expander: { field: 'a.b' } },
    { 'a.b': 1, a: 2 },
    'illegal_argument_exception: cannot expand [a.b] because [a] is not an object field, but a value field',
  ],
  [
    'dot_expander of a name with too many dots',
    { dot_expander: { field: '*' } },
    { ['a.'.repeat(20_000) + 'b']: 1 },
    `illegal_argument_exception: path [${'a.'.repeat(50)}...] has 20001 parts, the limit is 1000`,
  ],
  ['split drops empty ends', { split: { field: 'a', separator: ',\\s*' } }, { a: 'x, y,,' }, { a: ['x', 'y'] }],
  ['split keeps empty ends', { split: { field: 'a', separator: ',', preserve_trailing: true } }, { a: 'x,,' }, { a: ['x', '', ''] }],
  ['bytes', { bytes: { field: 'a' } }, { a: '1.5kb' }, { a: 1536 }],
  [
    'urldecode',
    { urldecode: { field: 'a' } },
    { a: 'a%2' },
    'illegal_argument_exception: URLDecoder: Illegal hex characters in escape (%) pattern: a%2',
  ],
  ['sort', { sort: { field: 'a' } }, { a: [10, 9, 1] }, { a: [1, 9, 10] }],
  ['convert hexadecimal', { convert: { field: 'a', type: 'long' } }, { a: '-0x10' }, { a: -16 }],
  [
    'convert beyond int',
    { convert: { field: 'a', type: 'integer' } },
    { a: '2147483648' },
    'illegal_argument_exception: unable to convert [2147483648] to integer',
  ],
  ['convert auto', { convert: { field: 'a', type: 'auto' } }, { a: ['7', '1.5', 'true', 'x'] }, { a: [7, 1.5, true, 'x'] }],
  [
    'convert ip',
    { convert: { field: 'a', type: 'ip' } },
    { a: '1.2.3' },
    'illegal_argument_exception: [1.2.3] is not a valid ipv4/ipv6 address',
  ],
  [
    'kv',
    { kv: { field: 'a', field_split: ' ', value_split: '=', trim_value: '"', prefix: 'p_' } },
    { a: 'x=1 y="2" x=3' },
    { a: 'x=1 y="2" x=3', p_x: ['1', '3'], p_y: '2' },
  ],
  [
    'kv into an object',
    { kv: { field: 'a', field_split: '&', value_split: '=', target_field: 'o', exclude_keys: ['y'] } },
    { a: 'x=1&y=2' },
    { a: 'x=1&y=2', o: { x: '1' } },
  ],
  [
    'csv',
    { csv: { field: 'a', target_fields: ['x', 'y', 'z'], empty_value: '-' } },
    { a: '"a ""b""",,c,d' },
    { a: '"a ""b""",,c,d', x: 'a "b"', y: '-', z: 'c' },
  ],
  [
    'json into the root, merged',
    { json: { field: 'a', add_to_root: true, add_to_root_conflict_strategy: 'merge' } },
    { a: '{"o":{"x":1}}', o: { y: 2 } },
    { a: '{"o":{"x":1}}', o: { x: 1, y: 2 } },
  ],
  [
    'dissect appends in order',
    { dissect: { field: 'a', pattern: '%{+n/2} %{+n/1}', append_separator: '-' } },
    { a: 'x y' },
    { a: 'x y', n: 'y-x' },
  ],
  ['dissect skips padding', { dissect: { field: 'a', pattern: '%{x->} %{y}' } }, { a: 'k    v' }, { a: 'k    v', x: 'k', y: 'v' }],
  [
    'dissect from a lead',
    { dissect: { field: 'a', pattern: '[%{x}]' } },
    { a: 'x]' },
    'find_match: Unable to find match for dissect pattern: [%{x}] against source: x]',
  ],
  [
    'date in a zone',
    { date: { field: 'a', formats: ['yyyy-MM-dd HH:mm'], timezone: 'Europe/Berlin' } },
    { a: '2024-07-01 12:00' },
    { a: '2024-07-01 12:00', '@timestamp': '2024-07-01T12:00:00.000+02:00' },
  ],
  [
    'date of TAI64N',
    { date: { field: 'a', formats: ['TAI64N'] } },
    { a: '@4000000050d506482dbdf024' },
    { a: '@4000000050d506482dbdf024', '@timestamp': '2012-12-22T01:00:46.767Z' },
  ],
  [
    'date printed otherwise',
    { date: { field: 'a', formats: ['UNIX_MS'], output_format: 'yyyy' } },
    { a: 0 },
    { a: 0, '@timestamp': '1970' },
  ],
  [
    'foreach of an object',
    { foreach: { field: 'a', processor: { set: { field: '_ingest._value', value: '{{_ingest._key}}' } } } },
    { a: { x: 1 } },
    { a: { x: 'x' } },
  ],
  ['drop', { drop: {} }, {}, null],
  ['fail', { fail: { message: '{{a}}!' } }, { a: 1 }, 'fail_processor_exception: 1!'],
  ['script', { script: 'ctx.n += 1; ctx.remove("b")' }, { n: 1, b: 2 }, { n: 2 }],
  ['stored script', { script: { id: 's', params: { v: 5 } } }, {}, { stored: 5 }],
  [
    'names of the prototype are fields like others',
    { set: { field: 'constructor.x', value: 1 } },
    {},
    { constructor: { x: 1 } } as unknown as JsonObject,
  ],
  ['condition', { set: { if: 'ctx.n > 1', field: 'x', value: 1 } }, { n: 1 }, { n: 1 }],
  [
    'ignore_failure goes before on_failure',
    { fail: { message: 'm', ignore_failure: true, on_failure: [{ set: { field: 'x', value: 1 } }] } },
    {},
    {},
  ],
  [
    'on_failure sees what failed',
    {
      fail: {
        tag: 't',
        message: 'm',
        on_failure: [{ set: { field: 'x', value: '{{_ingest.on_failure_message}}/{{_ingest.on_failure_processor_tag}}' } }],
      },
    },
    {},
    { x: 'm/t' },
  ],
];

test.each(cases)('%s', (_name, processor, source, expected) => {
  expect(run([processor], source)).toEqual(expected);
});

test('a path with __proto__ sets an own field and nothing else', () => {
  const source = run([{ set: { field: '__proto__.polluted', value: 1 } }], {}) as JsonObject;
  expect(Object.hasOwn(source, '__proto__')).toBe(true);
  expect(({} as JsonObject).polluted).toBeUndefined();
});

test('pipelines can call others, but not themselves', () => {
  stored.set('inner', compilePipeline('inner', { processors: [{ set: { field: 'x', value: 1 } }] }));
  stored.set('loop', compilePipeline('loop', { processors: [{ pipeline: { name: 'loop' } }] }));
  expect(run([{ pipeline: { name: 'inner' } }], {})).toEqual({ x: 1 });
  expect(run([{ pipeline: { name: 'loop' } }], {})).toBe('illegal_argument_exception: Cycle detected for pipeline: loop');
  expect(run([{ pipeline: { name: 'none' } }], {})).toContain('non-existent pipeline [none]');
  expect(run([{ pipeline: { name: 'none', ignore_missing_pipeline: true } }], {})).toEqual({});
});

test.each([
  [{ processors: [{ set: { field: 'a' } }] }, '[value] required property is missing'],
  [{ processors: [{ set: { field: 1, value: 1 } }] }, "[field] property isn't a string, but of type [java.lang.Integer]"],
  [{ processors: [{ geo: { field: 'a' } }] }, 'No processor type exists with name [geo]'],
  [
    { processors: [{ trim: { field: 'a', other: 1 } }] },
    "processor [trim] doesn't support one or more provided configuration parameters [other]",
  ],
  [{ processors: [{ gsub: { field: 'a', pattern: '(', replacement: '' } }] }, '[pattern] Invalid regex pattern'],
  [{ processors: [], on_failure: [] }, 'cannot have an empty on_failure option defined'],
  [{}, '[processors] required property is missing'],
])('a pipeline that cannot be built: %j', (body, reason) => {
  expect(() => compilePipeline('p', body)).toThrow(expect.objectContaining({ status: 400, reason: expect.stringContaining(reason) }));
});

test('verbose simulation shows the result of each processor', () => {
  const pipeline = compilePipeline('p', {
    processors: [
      { set: { field: 'a', value: 1 } },
      { set: { if: 'false', field: 'b', value: 1 } },
      { fail: { message: 'm', ignore_failure: true } },
      { fail: { message: 'n', on_failure: [{ set: { field: 'c', value: 1 } }] } },
      { drop: {} },
    ],
  });
  const { processor_results } = simulateVerbosely(pipeline, documentOf({})) as { processor_results: JsonObject[] };
  expect(processor_results.map(({ processor_type, status }) => [processor_type, status])).toEqual([
    ['set', 'success'],
    ['set', 'skipped'],
    ['fail', 'error_ignored'],
    ['fail', 'error'],
    ['set', 'success'],
    ['drop', 'dropped'],
  ]);
  expect((processor_results[0].doc as JsonObject)._source).toEqual({ a: 1 });
});

test('fingerprints distinguish values and types, not their order', () => {
  const of = (source: JsonObject, more: JsonObject = {}) =>
    (run([{ fingerprint: { fields: ['a', 'b'], ...more } }], source) as JsonObject).fingerprint;
  expect(of({ a: 1, b: { x: 1, y: 2 } })).toBe(of({ b: { y: 2, x: 1 }, a: 1 }));
  const all = [of({ a: '1', b: 2 }), of({ a: 1, b: 2 }), of({ a: 1, b: '2' }), of({ a: 12, b: '' }), of({ a: 1, b: 2 }, { salt: 's' })];
  expect(new Set(all).size).toBe(all.length);
  expect(String(of({ a: 1, b: 2 }, { method: 'SHA-256' }))).toHaveLength(44);
});

test('copies of copies end at a limit of the document', () => {
  const text = 'x'.repeat(1 << 20);
  const copies = Array.from({ length: 60 }, (_, i) => ({
    [i % 2 ? 'set' : 'copy']: i % 2 ? { field: `a.b${i}`, copy_from: 'a' } : { source_field: 'a', target_field: `a.b${i}` },
  }));
  expect(run(copies, { a: { text } })).toBe('illegal_argument_exception: processors copy more than 67108864 characters within a document');
  expect(Object.keys((run(copies.slice(0, 5), { a: { x: 1 } }) as JsonObject).a as JsonObject)).toEqual([
    'x',
    'b0',
    'b1',
    'b2',
    'b3',
    'b4',
  ]);
});
