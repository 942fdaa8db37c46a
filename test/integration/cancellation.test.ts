// Every kind of request that can run for minutes ends when it is cancelled, when its client disconnects, with its timeout, and with the service, and the
// thread that ran it is free again: nothing else would end these requests within the time of a test.
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const DOCUMENTS = 20_000;
/** Near the steps that one run of a script may take. */
const LOOP = 'double s = 0; for (int i = 0; i < 200000; i++) { s += i % 7 }';
const all = { match_all: {} };
const score = { script: { source: `${LOOP} return s` } };
const filter = { script: { script: { source: `${LOOP} return s > 0` } } };
const noMatch = { script: { script: { source: `${LOOP} return s < 0` } } };
const scored = { script_score: { query: all, ...score } };
const metric = {
  init_script: 'state.n = 0',
  map_script: `${LOOP} state.n += s`,
  combine_script: 'return state.n',
  reduce_script: 'return 1',
};
const runtime = { slow: { type: 'double', script: { source: `${LOOP} emit(s + doc['n'].value)` } } };

interface Kind {
  readonly line: string;
  /** An object is sent as JSON, a list as lines. */
  readonly body: object;
  /** Whether a closed connection ends it: operations that write go on, as in Elasticsearch. */
  readonly survivesClose?: boolean;
}

const search = (body: object): Kind => ({ line: 'POST /docs/_search', body });

const KINDS: Readonly<Record<string, Kind>> = {
  'a script that scores': search({ query: scored }),
  'a script that filters': search({ query: filter }),
  'a script that scores functions': search({ query: { function_score: { query: all, script_score: score } } }),
  'a script below other queries': search({ query: { bool: { filter: { constant_score: { filter: { bool: { should: [filter] } } } } } } }),
  'a script that sorts': search({ sort: { _script: { type: 'number', ...score } } }),
  'a script that makes fields of hits': search({ size: 10_000, script_fields: { s: score } }),
  'a script that rescores': search({ query: all, rescore: { window_size: 10_000, query: { rescore_query: scored } } }),
  'a post filter': search({ post_filter: filter }),
  'a runtime field that is searched': search({ runtime_mappings: runtime, query: { range: { slow: { gte: 1 } } } }),
  'a runtime field that is sorted by': search({ runtime_mappings: runtime, sort: ['slow'] }),
  'a runtime field that is aggregated': search({ size: 0, runtime_mappings: runtime, aggs: { s: { stats: { field: 'slow' } } } }),
  'a runtime field that is fetched': search({ size: 10_000, runtime_mappings: runtime, fields: ['slow'] }),
  'an aggregation of script values': search({ size: 0, aggs: { t: { terms: score } } }),
  'a scripted metric': search({ size: 0, aggs: { m: { scripted_metric: metric } } }),
  'a filter aggregation': search({ size: 0, aggs: { f: { filters: { filters: { a: filter, b: all } } } } }),
  'inner hits of collapsed groups': search({
    size: 1000,
    collapse: { field: 'n', inner_hits: { name: 'i', size: 10, script_fields: { s: score } } },
  }),
  'a retriever': search({ retriever: { standard: { query: scored } } }),
  'a search with a scroll': { line: 'POST /docs/_search?scroll=1m', body: { query: scored } },
  'a count': { line: 'POST /docs/_count', body: { query: filter } },
  'searches of one request': { line: 'POST /docs/_msearch', body: [{}, { query: scored }, {}, { query: filter }] },
  'a search template': { line: 'POST /docs/_search/template', body: { source: { query: scored } } },
  'an evaluation of rankings': {
    line: 'POST /docs/_rank_eval',
    body: { requests: [{ id: 'q', request: { query: scored }, ratings: [] }], metric: { precision: { k: 3 } } },
  },
  'an update by query': {
    line: 'POST /docs/_update_by_query?conflicts=proceed',
    body: { query: filter, script: { source: "ctx.op = 'noop'" } },
    survivesClose: true,
  },
  'a script that updates by query': {
    line: 'POST /docs/_update_by_query',
    body: { script: { source: `${LOOP} ctx.op = 'noop'` } },
    survivesClose: true,
  },
  'a delete by query': {
    line: 'POST /docs/_delete_by_query',
    body: { query: noMatch },
    survivesClose: true,
  },
  'a reindex': {
    line: 'POST /_reindex',
    body: { source: { index: 'docs' }, dest: { index: 'copy' }, script: { source: `${LOOP} ctx.op = 'noop'` } },
    survivesClose: true,
  },
};
const TAKES_TIMEOUT = Object.keys(KINDS).filter((name) => KINDS[name].line === 'POST /docs/_search');

async function start(): Promise<TestService> {
  const started = await startService(['--threads=2', '--thread_pool.heavy.max_run_time=1h', '--thread_pool.heavy.queue_size=100']);
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`).join('');
  const loaded = await started.request('POST', '/docs/_bulk?refresh=true', lines);
  expect(loaded.body.errors).toBe(false);
  return started;
}

interface Sent {
  /** The status; null if the connection was closed without an answer. */
  readonly ended: Promise<number | null>;
  readonly text: () => string;
  close(): void;
}

function send({ port }: TestService, { line, body }: Kind): Sent {
  const [method, path] = line.split(' ');
  const isLines = Array.isArray(body);
  const text = isLines ? `${body.map((item) => JSON.stringify(item)).join('\n')}\n` : JSON.stringify(body);
  let answer = '';
  let request: http.ClientRequest | null = null;
  const ended = new Promise<number | null>((resolve) => {
    const headers = { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' };
    request = http.request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        answer += chunk;
      });
      response.on('end', () => resolve(response.statusCode ?? null));
      response.on('error', () => resolve(null));
    });
    request.on('error', () => resolve(null));
    request.end(text);
  });
  return { ended, text: () => answer, close: () => request?.destroy() };
}

async function tasksOf(service: TestService): Promise<string[]> {
  const { body } = await service.request('GET', '/_tasks?group_by=none');
  return body.tasks.filter(({ cancellable }: any) => cancellable).map(({ node, id }: any) => `${node}:${id}`);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}

let service: TestService;
beforeAll(async () => {
  service = await start();
});
afterAll(() => service.stop());

/** Starts a request, and resolves when it is listed as a task. */
async function started(kind: Kind): Promise<Sent> {
  const sent = send(service, kind);
  let isOver = false;
  void sent.ended.then(() => {
    isOver = true;
  });
  await until(async () => isOver || (await tasksOf(service)).length > 0);
  expect(isOver, sent.text().slice(0, 500)).toBe(false);
  return sent;
}

/** No task is left, and as many heavy requests as there are lanes are answered. */
async function expectFree(): Promise<void> {
  await until(async () => (await tasksOf(service)).length === 0);
  const light = {
    query: {
      bool: {
        filter: [{ term: { n: 7 } }, { script: { script: { source: "for (int i = 0; i < 3; i++) {} return doc['n'].value == 7" } } }],
      },
    },
  };
  for (const answer of await Promise.all([1, 2, 3].map(() => service.request('POST', '/docs/_search', light))))
    expect(answer.body.hits.hits.map(({ _id }: any) => _id)).toEqual(['7']);
}

describe('is cancelled as a task', () => {
  test.each(Object.keys(KINDS))('%s', async (name) => {
    const sent = await started(KINDS[name]);
    await until(async () => {
      for (const id of await tasksOf(service)) await service.request('POST', `/_tasks/${id}/_cancel`);
      return (await tasksOf(service)).length === 0;
    });
    const status = await sent.ended;
    expect(sent.text(), String(status)).toMatch(/task_cancelled_exception|"canceled":"by user request"/);
    await expectFree();
  });
});

describe('ends when its client disconnects', () => {
  test.each(Object.keys(KINDS).filter((name) => !KINDS[name].survivesClose))('%s', async (name) => {
    const sent = await started(KINDS[name]);
    sent.close();
    expect(await sent.ended).toBe(null);
    await expectFree();
  });
});

describe('ends with its timeout', () => {
  test.each(TAKES_TIMEOUT)('%s', async (name) => {
    const { line, body } = KINDS[name];
    const sent = send(service, { line, body: { ...body, timeout: '50ms' } });
    const status = await sent.ended;
    if (status === 200) expect(sent.text()).toContain('"timed_out":true');
    else
      expect([status, sent.text()]).toEqual([
        503,
        expect.stringMatching(/circuit_breaking_exception.*ran longer than (its timeout|the limit of .50ms.)/),
      ]);
    await expectFree();
  });
});

test('all of them end with the service', async () => {
  const other = await start();
  const sent = Object.values(KINDS).map((kind) => send(other, kind));
  await until(async () => (await tasksOf(other)).length > 3);
  expect(await other.stop()).toBe(0);
  for (const one of sent) {
    const status = await one.ended;
    if (status !== null) expect(one.text()).toMatch(/node_closed_exception|task_cancelled_exception|es_rejected_execution_exception/);
  }
});
