// Nodes of a cluster on a real NATS server: writes that any node accepts reach all of them, and survive the loss of the node with the primary. The file is
// skipped where nats-server is not on the PATH.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClusterNodeProcess, TestCluster } from '../support/cluster.ts';
import { HAS_NATS } from '../support/nats.ts';

const TIMEOUT_MS = 120_000;

describe.skipIf(!HAS_NATS)('three nodes', { timeout: TIMEOUT_MS }, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start({ nodes: 3, flags: ['--cluster.snapshot.log_size=200kb'] });
    await cluster.nodes[0].ok('PUT', '/books', { settings: { number_of_shards: 2 } });
  }, TIMEOUT_MS);
  afterAll(() => cluster?.stop());

  test('show each other, one manager, and the copies of an index', async () => {
    const [first, , third] = cluster.nodes;
    for (const node of [first, third]) {
      await cluster.until(async () => {
        const { status, number_of_nodes, active_shards } = await node.ok('GET', '/_cluster/health/books');
        return status === 'green' && number_of_nodes === 3 && active_shards === 4;
      });
    }
    expect(await third.ok('GET', '/_cluster/health/books')).toMatchObject({
      number_of_nodes: 3,
      active_primary_shards: 2,
      active_shards: 4,
      unassigned_shards: 0,
    });
    const nodes = await first.ok('GET', '/_cat/nodes?format=json');
    expect(nodes.map(({ name }: { name: string }) => name).sort()).toEqual(['node-1', 'node-2', 'node-3']);
    expect(nodes.filter(({ master }: { master: string }) => master === '*')).toHaveLength(1);
    const copies = await first.ok('GET', '/_cat/shards/books?format=json');
    expect(copies.map(({ prirep, state }: { prirep: string; state: string }) => prirep + state).sort()).toEqual([
      'pSTARTED',
      'pSTARTED',
      'rSTARTED',
      'rSTARTED',
    ]);
  });

  test('a write on any node is read on every other at once', async () => {
    for (const [at, writer] of cluster.nodes.entries()) {
      const written = await writer.ok('PUT', `/books/_doc/${at}`, { title: `by ${writer.name}` });
      expect(written._version).toBe(1);
      for (const reader of cluster.nodes)
        expect((await reader.ok('GET', `/books/_doc/${at}`))._source).toEqual({ title: `by ${writer.name}` });
    }
  });

  test('a refresh on one node makes writes searchable on all', async () => {
    const [first, second] = cluster.nodes;
    const lines = Array.from({ length: 50 }, (_, n) => `{"index":{"_index":"books","_id":"n${n}"}}\n{"n":${n},"title":"number"}\n`);
    expect((await second.ok('POST', '/_bulk?refresh=true', lines.join(''))).errors).toBe(false);
    await first.ok('DELETE', '/books/_doc/n0');
    await first.ok('POST', '/books/_refresh');
    for (const node of cluster.nodes) {
      const { hits } = await node.ok('GET', '/books/_search?size=100&q=title:number&sort=n');
      expect(hits.total.value).toBe(49);
      expect(hits.hits[0]._source.n).toBe(1);
    }
  });

  test('a conditional write of two nodes succeeds once', async () => {
    const [first, second] = cluster.nodes;
    const { _seq_no, _primary_term } = await first.ok('PUT', '/books/_doc/race', { n: 0 });
    const target = `/books/_doc/race?if_seq_no=${_seq_no}&if_primary_term=${_primary_term}`;
    const answers = await Promise.all([first, second].map((node, n) => node.request('PUT', target, { n })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('changes of metadata on different nodes are ordered', async () => {
    const answers = await Promise.all(cluster.nodes.map((node) => node.request('PUT', '/once', {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    await cluster.nodes[1].ok('PUT', '/once/_mapping', { properties: { word: { type: 'keyword' } } });
    for (const node of cluster.nodes)
      expect((await node.ok('GET', '/once/_mapping')).once.mappings.properties).toEqual({ word: { type: 'keyword' } });
    await cluster.nodes[2].ok('DELETE', '/once');
    for (const node of cluster.nodes) expect((await node.request('HEAD', '/once')).status).toBe(404);
  });

  test('every node knows a change of metadata as soon as it is acknowledged', async () => {
    const [first, second, third] = cluster.nodes;
    for (let n = 0; n < 10; n++) {
      const name = `fresh-${n}`;
      await first.ok('PUT', `/${name}`, { aliases: { fresh: {} } });
      const answers = await Promise.all([
        second.request('HEAD', `/${name}`),
        third.request('POST', `/${name}/_search`, {}),
        second.request('GET', `/${name}/_count`),
        third.request('GET', '/fresh/_search'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await second.ok('PUT', '/_security/role/fresh', { cluster: [n % 2 === 0 ? 'monitor' : 'all'], indices: [] });
      expect((await third.ok('GET', '/_security/role/fresh')).fresh.cluster).toEqual([n % 2 === 0 ? 'monitor' : 'all']);
    }
    await third.ok('DELETE', '/fresh-*');
    expect((await first.request('POST', '/fresh-0/_search', {})).status).toBe(404);
    expect((await second.request('GET', '/fresh/_search')).status).toBe(404);
  });

  test('any node continues and ends what another one has begun', async () => {
    const [first, second, third] = cluster.nodes;
    for (let n = 0; n < 5; n++) await first.ok('PUT', `/begun/_doc/${n}?refresh=true`, { n });
    const page = await first.ok('POST', '/begun/_search?scroll=1m', { size: 2, sort: ['n'] });
    const next = await second.ok('POST', '/_search/scroll', { scroll_id: page._scroll_id, scroll: '1m' });
    expect(next.hits.hits.map(({ _id }: { _id: string }) => _id)).toEqual(['2', '3']);
    expect((await third.ok('DELETE', '/_search/scroll', { scroll_id: [page._scroll_id] })).num_freed).toBe(1);
    expect((await second.request('POST', '/_search/scroll', { scroll_id: page._scroll_id })).status).toBe(404);

    const { id } = await second.ok('POST', '/begun/_pit?keep_alive=1m');
    await first.ok('PUT', '/begun/_doc/5?refresh=true', { n: 5 });
    for (const node of cluster.nodes) expect((await node.ok('POST', '/_search', { pit: { id }, size: 9 })).hits.hits).toHaveLength(5);
    expect(await third.ok('DELETE', '/_pit', { id })).toEqual({ succeeded: true, num_freed: 1 });
    expect((await first.request('POST', '/_search', { pit: { id } })).status).toBe(404);

    const search = await first.ok('POST', '/begun/_async_search?keep_on_completion=true&wait_for_completion_timeout=10s', {});
    const found = await third.ok('GET', `/_async_search/${search.id}`);
    expect([found.is_running, found.response.hits.total.value]).toEqual([false, 6]);
    await second.ok('DELETE', `/_async_search/${search.id}`);
    expect((await first.request('GET', `/_async_search/${search.id}`)).status).toBe(404);

    const { task } = await third.ok('POST', '/_reindex?wait_for_completion=false', {
      source: { index: 'begun' },
      dest: { index: 'ended' },
    });
    const ended = await first.ok('GET', `/_tasks/${task}?wait_for_completion=true`);
    expect([ended.completed, ended.response.created]).toEqual([true, 6]);
    await first.ok('DELETE', '/begun,ended');
  });

  test('responses about nodes are those of all nodes', async () => {
    const [first, second] = cluster.nodes;
    const names = (nodes: object) =>
      Object.values(nodes)
        .map(({ name }) => name)
        .sort();
    const all = ['node-1', 'node-2', 'node-3'];
    for (const target of ['/_nodes', '/_nodes/stats?format=json&pretty', '/_nodes/http', '/_nodes/usage']) {
      const { nodes, _nodes } = await first.ok('GET', target);
      expect([target, _nodes]).toEqual([target, { total: 3, successful: 3, failed: 0 }]);
      expect(Object.keys(nodes)).toHaveLength(3);
    }
    expect(names((await first.ok('GET', '/_nodes')).nodes)).toEqual(all);
    expect(names((await second.ok('GET', '/_tasks')).nodes)).toEqual(all);
    expect((await second.ok('GET', '/_tasks?group_by=none')).tasks).toHaveLength(3);
    expect(names((await second.ok('GET', '/_nodes/node-1,node-3/stats/jvm')).nodes)).toEqual(['node-1', 'node-3']);
    expect(names((await second.ok('GET', '/_nodes/_local')).nodes)).toEqual(['node-2']);
    expect(Object.keys((await second.ok('GET', '/_nodes/_master')).nodes)).toHaveLength(1);
    expect(await first.ok('GET', '/_nodes/stats?filter_path=_nodes.total')).toEqual({ _nodes: { total: 3 } });
  });

  test('a force merge reaches the copies of every node', async () => {
    const [first, , third] = cluster.nodes;
    await first.ok('PUT', '/merged', {});
    for (let n = 0; n < 3; n++) await first.ok('PUT', `/merged/_doc/${n}?refresh=true`, { n });
    const segmentsOf = async (node: ClusterNodeProcess): Promise<number> =>
      (await node.ok('GET', '/_cat/segments/merged?format=json')).length;
    expect(await segmentsOf(third)).toBeGreaterThan(1);
    expect((await first.ok('POST', '/merged/_forcemerge?max_num_segments=1'))._shards).toEqual({ total: 2, successful: 2, failed: 0 });
    for (const node of cluster.nodes) expect(await segmentsOf(node)).toBe(1);
    await first.ok('DELETE', '/merged');
  });

  test('refuses snapshot repositories by name', async () => {
    const answer = await cluster.nodes[0].request('PUT', '/_snapshot/backup', { type: 'fs', settings: { location: '/tmp/x' } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test('nothing acknowledged is lost when the node with the primary is killed, and the node catches up when it returns', async () => {
    const [{ node: name }] = await cluster.nodes[0].ok('GET', '/_cat/shards/books?format=json');
    const killed = cluster.nodes.find((node) => node.name === name) ?? cluster.nodes[0];
    const [client, other] = cluster.nodes.filter((node) => node !== killed);
    const acknowledged: string[] = [];
    const write = async (id: string): Promise<boolean> => {
      const { status } = await client.request('PUT', `/books/_doc/${id}`, { id });
      if (status === 201) acknowledged.push(id);
      return status === 201;
    };
    for (let n = 0; n < 20; n++) await write(`before-${n}`);
    const writing = Promise.all(Array.from({ length: 10 }, (_, n) => write(`during-${n}`)));
    await killed.end('SIGKILL');
    await writing;
    let tries = 0;
    await cluster.until(() => write(`after-${tries++}`));
    await other.ok('POST', '/books/_refresh');
    for (const id of acknowledged) expect((await other.ok('GET', `/books/_doc/${id}`))._source).toEqual({ id });
    const counts = await Promise.all([client, other].map(async (node) => (await node.ok('GET', '/books/_count')).count));
    expect(counts[0]).toBe(counts[1]);
    await killed.start();
    await cluster.until(async () => (await client.ok('GET', '/_cluster/health')).number_of_nodes === 3);
    expect((await killed.ok('GET', '/books/_count')).count).toBe(counts[0]);
    for (const id of acknowledged) expect((await killed.ok('GET', `/books/_doc/${id}`))._source).toEqual({ id });
  });

  test('the log is trimmed, and a new node is filled from the snapshots', async () => {
    const [first] = cluster.nodes;
    const away = cluster.nodes[2];
    await first.ok('PUT', '/grown', { settings: { number_of_shards: 2 } });
    for (let n = 0; n < 10; n++) await first.ok('PUT', `/grown/_doc/g${n}?refresh=true`, { n });
    await away.end('SIGKILL');
    await cluster.until(async () => (await first.ok('GET', '/_cluster/health')).number_of_nodes === 2);
    const bulk = (from: number) =>
      Array.from({ length: 500 }, (_, n) => `{"index":{"_id":"g${from + n}"}}\n{"n":${from + n},"text":"${'grown '.repeat(100)}"}\n`).join(
        '',
      );
    for (let from = 0; from < 3000; from += 500) expect((await first.ok('POST', '/grown/_bulk', bulk(from))).errors).toBe(false);
    await first.ok('DELETE', '/grown/_doc/g7');
    const messages = async (): Promise<number> =>
      (await cluster.streams()).find(({ name }) => name.includes('-index-') && name.endsWith(uuid))?.first ?? 0;
    const [{ uuid }] = await first.ok('GET', '/_cat/indices/grown?format=json');
    await cluster.until(async () => (await messages()) > 1);
    // A change that is larger than a message, after which the metadata log is trimmed, too.
    const large = { template: { mappings: { _meta: { text: 'large '.repeat(150_000) } } } };
    await first.ok('PUT', '/_component_template/large', large);
    await first.ok('PUT', '/_component_template/small', { template: {} });
    const metadata = async () =>
      (await cluster.streams()).find(({ name }) => name.endsWith('-metadata') && !name.startsWith('OBJ_'))?.first ?? 0;
    await cluster.until(async () => {
      await first.ok('PUT', '/_component_template/small', { template: { settings: {} } });
      return (await metadata()) > 1;
    });
    const added = await cluster.addNode('node-4', ['--cluster.snapshot.log_size=200kb']);
    await added.start();
    await cluster.until(async () => (await added.ok('GET', '/grown/_count')).count === 2999);
    expect((await added.ok('GET', '/grown/_doc/g2999'))._source.n).toBe(2999);
    await away.start();
    await cluster.until(async () => (await away.ok('GET', '/grown/_count')).count === 2999);
    expect((await away.request('GET', '/grown/_doc/g7')).status).toBe(404);
    for (const node of [added, away]) {
      const recoveries = await node.ok('GET', '/_cat/recovery/grown?format=json');
      expect(recoveries.map(({ type, stage }: { type: string; stage: string }) => `${type} ${stage}`)).toEqual(['peer done', 'peer done']);
      for (const { files_recovered, bytes_recovered } of recoveries) {
        expect(Number(files_recovered)).toBeGreaterThan(0);
        expect(bytes_recovered).not.toBe('0b');
      }
    }
    for (const node of cluster.nodes) {
      const { component_templates } = await node.ok('GET', '/_component_template/large');
      expect(component_templates[0].component_template).toMatchObject(large);
    }
    // What it was filled with takes part in later writes.
    await added.ok('PUT', '/grown/_doc/g7?refresh=true', { n: 7 });
    for (const node of cluster.nodes) expect((await node.ok('GET', '/grown/_count')).count).toBe(3000);
    await first.ok('DELETE', '/grown');
    await cluster.until(async () => !(await cluster.streams()).some(({ name }) => name.endsWith(uuid)));
    await added.end();
    cluster.nodes.pop();
    await cluster.until(async () => (await first.ok('GET', '/_cluster/health')).number_of_nodes === 3);
  });

  test('without NATS searches are answered and writes refused, and both work again when it returns', async () => {
    const [first] = cluster.nodes;
    const { count } = await first.ok('GET', '/books/_count');
    await cluster.nats.endAll();
    const refused = await first.request('PUT', '/books/_doc/refused', { n: 1 });
    expect(refused.status).toBe(503);
    expect((await first.ok('GET', '/books/_count')).count).toBe(count);
    await cluster.nats.start();
    await cluster.until(async () => (await first.request('PUT', '/books/_doc/accepted', { n: 1 })).status < 300);
  });
});

/** After the loss of a server, writes to logs on nats-server 2.9 sometimes fail for more than a minute. */
const ELECTION_MS = 120_000;

describe.skipIf(!HAS_NATS)('three nodes on three NATS servers', { timeout: 4 * ELECTION_MS }, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start({ nodes: 3, natsServers: 3 });
    await cluster.nodes[0].ok('PUT', '/books', { settings: { number_of_shards: 2 } });
    // Other nodes show a new index with a delay.
    for (const node of cluster.nodes) await cluster.until(async () => (await node.request('GET', '/books')).status === 200);
  }, TIMEOUT_MS);
  afterAll(() => cluster?.stop());

  /** The response of a node that is in touch with the cluster: during elections, and until it has caught up, it is 503. */
  async function inTouch(node: ClusterNodeProcess, target: string): Promise<any> {
    let response = await node.request('GET', target);
    await cluster.until(async () => {
      response = await node.request('GET', target);
      return response.status !== 503;
    }, ELECTION_MS);
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    return response.body;
  }

  test('reads and writes continue while any one of the NATS servers is lost', async () => {
    for (const server of [0, 1, 2]) {
      await cluster.nats.end(server);
      for (const [at, node] of cluster.nodes.entries()) {
        await cluster.until(
          async () => (await node.request('PUT', `/books/_doc/${server}-${at}`, { server, at })).status < 300,
          ELECTION_MS,
        );
        for (const reader of cluster.nodes) expect((await inTouch(reader, `/books/_doc/${server}-${at}`))._source).toEqual({ server, at });
      }
      await cluster.nats.start();
    }
    await cluster.until(async () => (await cluster.nodes[0].request('POST', '/books/_refresh')).status === 200);
    for (const node of cluster.nodes) expect((await inTouch(node, '/books/_count')).count).toBe(9);
  });

  test('two lost NATS servers stop writes until one returns', async () => {
    const [first, second] = cluster.nodes;
    await Promise.all([cluster.nats.end(0), cluster.nats.end(1)]);
    expect((await first.request('PUT', '/books/_doc/refused', { n: 1 })).status).toBe(503);
    cluster.nats.launch(0);
    await cluster.until(async () => (await second.request('PUT', '/books/_doc/accepted', { n: 1 })).status < 300, ELECTION_MS);
    await cluster.until(async () => (await first.request('GET', '/books/_doc/accepted')).status === 200);
    await cluster.nats.start();
  });
});
