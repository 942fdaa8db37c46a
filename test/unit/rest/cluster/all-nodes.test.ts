// Requests that other nodes of a cluster have to answer, or to answer as well.
import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineContext } from '../../../../src/api/core/context.ts';
import { notHereError } from '../../../../src/api/core/held-elsewhere.ts';
import { Logger } from '../../../../src/common/log/logger.ts';
import { loadSettings } from '../../../../src/config/load-settings.ts';
import { ApiError } from '../../../../src/errors/api-error.ts';
import { HeldElsewhere } from '../../../../src/errors/held-elsewhere.ts';
import { answerForwarded, ForwardedReply } from '../../../../src/rest/core/forwarded.ts';
import { asHttpRequest, type LaneRequest, type LaneResponse } from '../../../../src/rest/core/lane.ts';
import { Dispatcher } from '../../../../src/rest/dispatch.ts';
import { fakeEngine } from '../../../support/fake-engine.ts';
import { fakeRequest } from '../../../support/fake-http.ts';

const OTHER = 'othernodeidothernode22';
const sent: Array<{ node: string; request: LaneRequest }> = [];
let answers: (request: LaneRequest) => Promise<LaneResponse>;
let dispatcher: Dispatcher;

const json = (status: number, body: unknown): LaneResponse => ({
  status,
  headers: { 'x-from': 'other' },
  body: Buffer.from(JSON.stringify(body)),
});

/** An engine of two nodes. */
function engineOfTwo(): EngineContext {
  const engine = fakeEngine();
  const [own] = engine.nodes;
  const tasks = { list: async () => [], get: async () => null };
  return Object.assign(engine, { nodes: [own, { ...own, id: OTHER, name: 'other', isManager: false }], tasks }) as EngineContext;
}

beforeEach(() => {
  sent.length = 0;
  answers = async () => json(200, {});
  const peers = {
    forward: (node: string, request: LaneRequest) => {
      sent.push({ node, request });
      return answers(request);
    },
  };
  dispatcher = new Dispatcher(loadSettings({ flags: {} }), engineOfTwo(), new Logger('error'), null, null, null, null, peers);
});

const ask = (line: string, body?: string) => fakeRequest((http, reply) => dispatcher.handle(http, reply), line, { body });

describe('what another node has', () => {
  test('is asked of it, and its response passed on', async () => {
    answers = async () => json(201, { completed: true });
    const answer = await ask(`GET /_tasks/${OTHER}:7?pretty`);
    expect([answer.status, answer.json, answer.headers['x-from']]).toEqual([201, { completed: true }, 'other']);
    expect(sent.map(({ node, request: { method, path, query } }) => [node, method, path, query])).toEqual([
      [OTHER, 'GET', `/_tasks/${OTHER}:7`, 'pretty'],
    ]);
  });

  test('is missing if no live node has the id', async () => {
    expect((await ask('GET /_tasks/gone:7')).status).toBe(404);
    expect(sent).toEqual([]);
  });

  test('is refused if that node does not answer', async () => {
    answers = async () => {
      throw new ApiError('node_disconnected_exception', 503, 'gone');
    };
    expect((await ask(`GET /_tasks/${OTHER}:7`)).json.error.type).toBe('node_disconnected_exception');
  });

  test('is not passed on twice', async () => {
    await ask(`GET /_tasks/${OTHER}:7`);
    const { request } = sent[0];
    expect((await answerForwarded(request, dispatcher.handle)).status).toBe(404);
    expect(sent).toHaveLength(1);
  });

  test('is named by the id after that of this node is ruled out', () => {
    const engine = engineOfTwo();
    const missing = new ApiError('resource_not_found_exception', 404, 'x');
    expect(notHereError(engine, engine.nodeId, missing)).toBe(missing);
    expect(notHereError(engine, 'gone', missing)).toBe(missing);
    const elsewhere = notHereError(engine, OTHER, missing);
    expect(elsewhere).toBeInstanceOf(HeldElsewhere);
    const holder = (elsewhere as HeldElsewhere).find(new Set());
    expect([elsewhere.type, elsewhere.status, holder]).toEqual(['resource_not_found_exception', 404, OTHER]);
  });
});

describe('indices without a copy on this node', () => {
  const THIRD = 'thirdnodeidthirdnode22';
  const MISSING = new ApiError('no_shard_available_action_exception', 503, 'none');
  const holders = [OTHER, THIRD];

  beforeEach(async () => {
    const engine = engineOfTwo();
    const find = (tried: ReadonlySet<string>) => holders.find((node) => !tried.has(node)) ?? null;
    await engine.command('createIndex', { index: 'docs', body: {} });
    Object.assign(engine, {
      requireTogether: () => {
        throw new HeldElsewhere(find, MISSING);
      },
    });
    const peers = {
      forward: (node: string, request: LaneRequest) => {
        sent.push({ node, request });
        return answers(request);
      },
    };
    dispatcher = new Dispatcher(loadSettings({ flags: {} }), engine, new Logger('error'), null, null, null, null, peers);
  });
  const search = () => ask('POST /docs/_search', '{}');

  test('are searched on a node with one, and on another one if that does not answer', async () => {
    const failures = [
      new ApiError('connect_transport_exception', 503, 'not sent'),
      new ApiError('node_disconnected_exception', 503, 'lost'),
    ];
    for (const failure of failures) {
      sent.length = 0;
      answers = async () => {
        if (sent.length === 1) throw failure;
        return json(200, { took: 1 });
      };
      expect((await search()).json).toEqual({ took: 1 });
      expect(sent.map(({ node }) => node)).toEqual(holders);
    }
    sent.length = 0;
    answers = async () => {
      throw failures[0];
    };
    expect((await search()).json.error.type).toBe('connect_transport_exception');
    expect(sent).toHaveLength(2);
  });

  test('are not changed twice by a request whose outcome is unknown', async () => {
    answers = async () => {
      throw new ApiError('node_disconnected_exception', 503, 'lost');
    };
    const answer = await ask('POST /docs/_delete_by_query', '{"query":{"match_all":{}}}');
    expect([answer.json.error.type, sent.length]).toEqual(['node_disconnected_exception', 1]);
  });

  test('are looked for on a few nodes, one after another', async () => {
    await search();
    let { request } = sent[0];
    for (let forwards = 1; forwards < 3; forwards++) {
      expect((await answerForwarded(request, dispatcher.handle)).status).toBe(200);
      request = sent[forwards].request;
      expect(request.forwards).toBe(forwards);
    }
    expect((await answerForwarded(request, dispatcher.handle)).status).toBe(503);
    expect(sent).toHaveLength(3);
  });

  test('are not looked for by a part of a request, whose result is not a response', async () => {
    await search();
    const [{ request }] = sent;
    const reply = new ForwardedReply();
    await dispatcher.handle(asHttpRequest(request), reply, null, { help: {} });
    expect([(await reply.answer).status, sent.length]).toEqual([503, 1]);
  });
});

describe('responses about all nodes', () => {
  const own = 'fakenodeidfakenodeid22';

  test('contain the nodes of each, filtered and rendered once', async () => {
    answers = async () => json(200, { _nodes: { total: 1, successful: 1, failed: 0 }, nodes: { [OTHER]: { name: 'other' } } });
    const { json: body } = await ask('GET /_nodes?filter_path=_nodes,nodes.*.name&pretty&human');
    expect(body).toEqual({
      _nodes: { total: 2, successful: 2, failed: 0 },
      nodes: { [own]: { name: 'fake' }, [OTHER]: { name: 'other' } },
    });
    expect(sent[0].request.query).toBe('human=');
  });

  test('name the nodes that fail', async () => {
    answers = async () => json(500, {});
    const { json: body } = await ask('GET /_nodes?filter_path=_nodes');
    expect([body._nodes.total, body._nodes.successful, body._nodes.failed]).toEqual([2, 1, 1]);
    expect(body._nodes.failures[0]).toMatchObject({ type: 'failed_node_exception', node_id: OTHER });
    expect((await ask('GET /_tasks')).json.node_failures[0]).toMatchObject({ node_id: OTHER });
  });

  test('join lists of tasks', async () => {
    answers = async () => json(200, { tasks: [{ node: OTHER, id: 1 }] });
    const { json: body } = await ask('GET /_tasks?group_by=none');
    expect(body.tasks.map(({ node }: { node: string }) => node)).toEqual([own, OTHER]);
  });

  test('are of one node if only that is wanted, or if another node asks', async () => {
    await ask('GET /_nodes/_local');
    await ask('GET /_nodes');
    const { body } = await answerForwarded(sent[0].request, dispatcher.handle);
    expect(JSON.parse(Buffer.from(body).toString())._nodes.total).toBe(1);
    expect(sent).toHaveLength(1);
  });
});

describe('work on the copies of all nodes', () => {
  const shards = { total: 2, successful: 2, failed: 0 };

  test.each(['POST /docs/_flush?force=true', 'POST /docs/_forcemerge?max_num_segments=1'])('%s reaches the other nodes', async (line) => {
    answers = async () => json(200, { _shards: shards });
    await ask('PUT /docs');
    sent.length = 0;
    expect((await ask(line)).json).toEqual({ _shards: shards });
    expect(sent.map(({ node, request: { method, path, query } }) => [node, `${method} ${path}?${query}`])).toEqual([[OTHER, line]]);
    const { request } = sent[0];
    expect((await answerForwarded(request, dispatcher.handle)).status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  test('counts a node that fails', async () => {
    await ask('PUT /docs');
    answers = async () => {
      throw new ApiError('node_disconnected_exception', 503, 'gone');
    };
    expect((await ask('POST /docs/_flush')).json._shards).toMatchObject({
      total: 2,
      successful: 1,
      failed: 1,
      failures: [{ type: 'failed_node_exception', node_id: OTHER, caused_by: { type: 'node_disconnected_exception' } }],
    });
  });

  test('merges primaries only, if no more is wanted', async () => {
    const merged: string[] = [];
    const engine = Object.assign(engineOfTwo(), { forceMerge: async () => void merged.push('merge'), flush: async () => undefined });
    const node = new Dispatcher(loadSettings({ flags: {} }), engine, new Logger('error'));
    const send = (line: string) => fakeRequest((http, reply) => node.handle(http, reply), line, {});
    await send('PUT /docs');
    const line = 'POST /docs/_forcemerge?primary_only=true';
    expect((await send(line)).json._shards).toEqual({ total: 1, successful: 1, failed: 0 });
    expect(merged).toEqual(['merge']);
    Object.assign(engine, { primaryNodeOf: () => OTHER });
    await send(line);
    expect(merged).toEqual(['merge']);
  });
});

test('a response in pieces is collected', async () => {
  const reply = new ForwardedReply();
  const stream = reply.stream(200, { 'content-type': 'application/json' });
  stream.write('{"a"');
  stream.write(Buffer.from(':1}'));
  stream.end();
  const { status, body } = await reply.answer;
  expect([status, Buffer.from(body).toString()]).toEqual([200, '{"a":1}']);
});
