// Walk over everything that can direct a document to another index, or read one while it is written: scripts, pipelines in every position, processors,
// aliases and date math. Whatever the definition, and whoever made it, a user writes to no foreign index, reads none, and learns of none.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CANARY, ForeignData, type User } from './foreign-data.ts';

type Step = readonly [line: string, body?: unknown];
interface Way {
  /** Made by root, who may name any index. */
  readonly defined?: (name: string) => readonly Step[];
  readonly used: (name: string) => readonly Step[];
  readonly users?: readonly User[];
}

let data: ForeignData;
beforeAll(async () => {
  data = await ForeignData.open();
});
afterAll(() => data.close());
beforeEach(() => data.restoreOwn());

const script = (source: string, params: object = {}) => ({ source, params });
const lines = (...objects: object[]): string => `${objects.map((object) => JSON.stringify(object)).join('\n')}\n`;
const pipeline = (...processors: object[]): Step => ['PUT /_ingest/pipeline/walk', { processors }];

/** Requests that run the pipeline `walk` on a document. */
const throughPipeline: readonly Step[] = [
  ['PUT /own-1/_doc/9?pipeline=walk&refresh=true', { k: 'x', text: 'mine' }],
  ['PUT /own-1/_create/8?pipeline=walk', { k: 'x' }],
  ['POST /_bulk?pipeline=walk', lines({ index: { _index: 'own-1', _id: '7' } }, { k: 'x' })],
  ['POST /own-1/_bulk', lines({ create: { _id: '6', pipeline: 'walk' } }, { k: 'x' })],
  ['POST /own-1/_bulk?pipeline=walk', lines({ update: { _id: '5' } }, { doc: { k: 'x' }, doc_as_upsert: true })],
  ['POST /own-1/_update/4?pipeline=walk', { doc: { k: 'x' }, doc_as_upsert: true }],
  ['POST /own-1/_update_by_query?pipeline=walk', {}],
  ['POST /_reindex', { source: { index: 'own-1' }, dest: { index: 'own-2', pipeline: 'walk' } }],
];
/** The same through the settings of the index. */
const throughSetting = (setting: string): readonly Step[] => [
  ['PUT /own-1/_doc/9?refresh=true', { k: 'x' }],
  ['POST /_bulk', lines({ index: { _index: 'own-1', _id: '7' } }, { k: 'x' })],
  ['POST /own-1/_update/4', { doc: { k: 'x' }, doc_as_upsert: true }],
  ['POST /own-1/_update_by_query', {}],
  ['POST /_reindex', { source: { index: 'own-1' }, dest: { index: 'own-2' } }],
  ['PUT /own-3', { settings: { [`index.${setting}`]: 'walk' } }],
  ['POST /_reindex', { source: { index: 'own-1' }, dest: { index: 'own-3' } }],
];

/** What pipelines refer to. */
const named = (name: string): Step[] => [
  ['PUT /_scripts/walk', { script: { lang: 'painless', source: `ctx._index = '${name}'` } }],
  [`PUT /_ingest/pipeline/to-${name}`, { processors: [{ set: { field: '_index', value: name } }] }],
];

const processors: Readonly<Record<string, (name: string) => object[]>> = {
  set: (name) => [{ set: { field: '_index', value: name } }],
  'set from a template': (name) => [{ set: { field: 'k', value: name } }, { set: { field: '_index', value: '{{k}}' } }],
  'set from a field': (name) => [{ set: { field: 'k', value: name } }, { set: { field: '_index', copy_from: 'k' } }],
  script: (name) => [{ script: script('ctx._index = params.n', { n: name }) }],
  'script by key': (name) => [{ script: script("ctx['_index'] = params.n; ctx['_routing'] = 'r'; ctx['_id'] = '1'", { n: name }) }],
  'a stored script': () => [{ script: { id: 'walk' } }],
  'reroute to a name': (name) => [{ reroute: { destination: name } }],
  'reroute by parts of a stream': (name) => [{ set: { field: 'k', value: name } }, { reroute: { dataset: '{{k}}', namespace: 'x' } }],
  date_index_name: (name) => [
    { set: { field: 'at', value: '2024-01-15' } },
    {
      date_index_name: {
        field: 'at',
        date_formats: ['yyyy-MM-dd'],
        index_name_prefix: name,
        date_rounding: 'y',
        index_name_format: 'yyyy',
      },
    },
  ],
  'date math': (name) => [{ set: { field: '_index', value: `<${name}>` } }],
  rename: (name) => [
    { set: { field: 'k', value: name } },
    { remove: { field: '_index' } },
    { rename: { field: 'k', target_field: '_index' } },
  ],
  'a failing processor': (name) => [{ fail: { message: 'x', on_failure: [{ set: { field: '_index', value: name } }] } }],
  foreach: (name) => [
    { set: { field: 'l', value: [name] } },
    { foreach: { field: 'l', processor: { set: { field: '_index', copy_from: '_ingest._value' } } } },
  ],
  'another pipeline': (name) => [{ pipeline: { name: `to-${name}` } }],
  'a condition': (name) => [{ set: { if: `ctx._index = '${name}'; return true`, field: 'k', value: 'y' } }],
};

const WAYS: Readonly<Record<string, Way>> = {
  'the script of _update_by_query': {
    used: (name) => [
      ['POST /own-1/_update_by_query', { script: script('ctx._index = params.n', { n: name }) }],
      ['POST /own-1/_update_by_query', { script: script("ctx['_index'] = params.n; ctx._id = '2'", { n: name }) }],
      ['POST /own-1/_update_by_query', { script: script("ctx._routing = 'r'; ctx.op = 'delete'; ctx._index = params.n", { n: name }) }],
    ],
  },
  'the script of _reindex': {
    used: (name) => [
      [
        'POST /_reindex?wait_for_completion=true',
        {
          source: { index: 'own-1' },
          dest: { index: 'own-2', routing: '=r' },
          script: script("ctx.op = 'delete'; ctx._index = params.n", { n: name }),
        },
      ],
      ['POST /_reindex', { source: { index: 'own-1' }, dest: { index: 'own-2' }, script: script('ctx._index = params.n', { n: name }) }],
      [
        'POST /_reindex',
        {
          source: { index: 'own-1' },
          dest: { index: 'own-2' },
          script: script("ctx._index = params.n; ctx._routing = 'r'; ctx._id = '1'", { n: name }),
        },
      ],
      ['POST /_reindex', { source: { index: 'own-1' }, dest: { index: `<${name}>` } }],
    ],
  },
  'the script of _update': {
    used: (name) => [
      ['POST /own-1/_update/1', { script: script("ctx._index = params.n; ctx._source.k = 'y'", { n: name }) }],
      ['POST /own-1/_update/2', { scripted_upsert: true, script: script('ctx._index = params.n', { n: name }), upsert: { k: 'y' } }],
    ],
  },
  'names with date math': {
    used: (name) => [
      [`PUT /${encodeURIComponent(`<${name}>`)}/_doc/9`, { k: 'x' }],
      ['POST /_bulk', lines({ index: { _index: `<${name}>`, _id: '9' } }, { k: 'x' })],
      ['POST /_bulk', lines({ delete: { _index: `<${name}{now/d{''}}>`, _id: '1' } })],
      [`POST /${encodeURIComponent(`<${name}>`)}/_update/1`, { doc: { k: 'x' } }],
      [`POST /${encodeURIComponent(`own-1,<${name}>`)}/_delete_by_query`, { query: { match_all: {} } }],
    ],
  },
  ...Object.fromEntries(
    Object.entries(processors).flatMap(([kind, made]): [string, Way][] => [
      [`a pipeline with ${kind}`, { defined: (name) => [...named(name), pipeline(...made(name))], used: () => throughPipeline }],
      ...['default_pipeline', 'final_pipeline'].map((setting): [string, Way] => [
        `${setting} with ${kind}`,
        {
          defined: (name) => [...named(name), pipeline(...made(name)), ['PUT /own-1/_settings', { [`index.${setting}`]: 'walk' }]],
          used: () => throughSetting(setting),
          users: ['owner'],
        },
      ]),
    ]),
  ),
  'an enrich policy': {
    used: (name) => [
      ['PUT /_enrich/policy/own-walk', { match: { indices: name, match_field: 'k', enrich_fields: ['text'] } }],
      ['PUT /_enrich/policy/own-walk', { match: { indices: ['own-1', name], match_field: 'k', enrich_fields: ['text'] } }],
      ['POST /_enrich/policy/own-walk/_execute'],
      pipeline({ enrich: { policy_name: 'own-walk', field: 'k', target_field: 'e' } }),
      ['PUT /own-1/_doc/9?pipeline=walk&refresh=true', { k: 'canarykey' }],
      ['GET /own-1/_doc/9?_source_excludes=k'],
      ['DELETE /_ingest/pipeline/walk'],
      ['DELETE /_enrich/policy/own-walk'],
    ],
    users: ['owner', 'operator'],
  },
};

/** A final pipeline must keep the index: an error with the status 500 in Elasticsearch, too. */
const FINAL = "final pipeline [walk] can't change the target index";

/** Answers that differ only in the requested name, in times and in what counts writes are the same. */
const normal = (text: string, name: string): string =>
  text
    .replaceAll(encodeURIComponent(name), 'NAME')
    .replaceAll(name, 'NAME')
    .replaceAll(/"(took|ingest_took|_seq_no|_version|took_millis)":\d+/g, '');

/** The answers of a user to a way that leads to `name`. */
async function answersOf(user: User, way: Way, name: string): Promise<string[]> {
  await data.as('root', 'DELETE /own-*');
  await data.as('root', 'DELETE /_ingest/pipeline/walk');
  await data.restoreOwn();
  for (const [line, body] of way.defined?.(name) ?? []) {
    const { status, text } = await data.as('root', line, body);
    expect(status, `${line} ${text}`).toBeLessThan(300);
  }
  const answers: string[] = [];
  for (const [line, body] of way.used(name)) {
    const { status, text } = await data.as(user, line, body);
    if (!text.includes(FINAL)) expect(status, `${line} ${JSON.stringify(body)} ${text}`).toBeLessThan(500);
    answers.push(`${line}: ${status} ${text}`);
  }
  return answers;
}

test.each(Object.keys(WAYS))('%s leads to no foreign index', async (kind) => {
  const way = WAYS[kind];
  for (const user of way.users ?? (['owner', 'writer'] as const)) {
    const missing = await answersOf(user, way, 'zzmissing');
    for (const name of user === 'owner' ? ['zzsecret', 'zzalias'] : ['zzsecret']) {
      const before = await data.state();
      const answers = await answersOf(user, way, name);
      expect(await data.state(), `${user}: ${answers.join('\n')}`).toBe(before);
      for (const answer of answers) expect(answer.replace('"k":"canarykey"', ''), user).not.toMatch(CANARY);
      expect(
        answers.map((answer) => normal(answer, name)),
        user,
      ).toEqual(missing.map((answer) => normal(answer, 'zzmissing')));
    }
  }
});

/** Ways by which a user can write to another index of their own; the others are refused for every index. */
const LEADS_NOWHERE = /^final_pipeline|_update$|_update_by_query$|enrich|date math$|with reroute by parts|with rename|with a condition/;

test.each(Object.keys(WAYS).filter((kind) => !LEADS_NOWHERE.test(kind)))('%s leads to an own index', async (kind) => {
  const answers = await answersOf('owner', WAYS[kind], 'own-9');
  await data.as('root', 'POST /own-*/_refresh');
  expect((await data.as('root', 'GET /own-9*/_count?ignore_unavailable=true')).json.count, answers.join('\n')).toBeGreaterThan(0);
});
