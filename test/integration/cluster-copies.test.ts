// Copies on the nodes that the manager allocates (`cluster.copies: allocated`), on a real NATS server. The file is skipped where nats-server is not on the PATH.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClusterNodeProcess, TestCluster } from '../support/cluster.ts';
import { HAS_NATS } from '../support/nats.ts';

const TIMEOUT_MS = 120_000;

/** Names of the nodes with a copy, the primary first. */
async function holders(node: ClusterNodeProcess, index: string): Promise<string[]> {
  const rows = await node.ok('GET', `/_cat/shards/${index}?format=json&h=prirep,state,node,shard&s=prirep`);
  return rows
    .filter(({ state, shard }: Record<string, string>) => state === 'STARTED' && shard === '0')
    .map((row: { node: string }) => row.node);
}

describe.skipIf(!HAS_NATS)('three nodes with allocated copies', { timeout: TIMEOUT_MS }, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start({ nodes: 3, flags: ['--cluster.copies=allocated', '--cluster.snapshot.log_size=200kb'] });
  }, TIMEOUT_MS);
  afterAll(() => cluster?.stop());

  const nodeNamed = (name: string): ClusterNodeProcess => {
    const found = cluster.nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`no node ${name}`);
    return found;
  };
  const outsider = async (index: string): Promise<ClusterNodeProcess> => {
    const inside = await holders(cluster.nodes[0], index);
    return cluster.nodes.find(({ name }) => !inside.includes(name)) ?? cluster.nodes[0];
  };
  const isGreen = (index: string) => async () => (await cluster.nodes[0].ok('GET', `/_cluster/health/${index}`)).status === 'green';

  test('an index has one copy for its primary and one for each replica', async () => {
    const [first, second] = cluster.nodes;
    await first.ok('PUT', '/books', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
    await cluster.until(isGreen('books'));
    expect(await holders(second, 'books')).toHaveLength(2);
    expect(await second.ok('GET', '/_cluster/health/books')).toMatchObject({
      active_primary_shards: 2,
      active_shards: 4,
      unassigned_shards: 0,
    });
    const state = await second.ok('GET', '/_cluster/state/routing_table/books');
    const copies = state.routing_table.indices.books.shards['1'];
    expect(copies.map(({ primary, state: name }: { primary: boolean; state: string }) => [primary, name])).toEqual([
      [true, 'STARTED'],
      [false, 'STARTED'],
    ]);
  });

  test('every node accepts requests for documents of every index', async () => {
    const out = await outsider('books');
    for (const [at, node] of cluster.nodes.entries()) {
      expect((await node.ok('PUT', `/books/_doc/${at}`, { n: at, title: `by ${node.name}` }))._version).toBe(1);
      for (const reader of cluster.nodes) expect((await reader.ok('GET', `/books/_doc/${at}`))._source.n).toBe(at);
    }
    expect((await out.ok('POST', '/books/_update/0?refresh=true', { doc: { more: true } }))._version).toBe(2);
    const found = await out.ok('POST', '/_mget', {
      docs: [
        { _index: 'books', _id: '0' },
        { _index: 'books', _id: 'none' },
      ],
    });
    expect(found.docs.map((doc: { found: boolean }) => doc.found)).toEqual([true, false]);
    expect(found.docs[0]._source.more).toBe(true);
    expect((await out.request('GET', '/books/_doc/none')).status).toBe(404);
    await out.ok('POST', '/books/_refresh');
    expect((await out.ok('GET', '/books/_doc/1?realtime=false'))._id).toBe('1');
    expect((await out.ok('GET', '/books/_termvectors/1?fields=title')).term_vectors.title).toBeDefined();
    expect((await out.ok('POST', '/books/_explain/1', { query: { match: { title: 'by' } } })).matched).toBe(true);
    const bulk = await out.ok(
      'POST',
      '/_bulk?refresh=wait_for',
      `{"index":{"_index":"books","_id":"b"}}\n{"n":9}\n{"delete":{"_index":"books","_id":"2"}}\n`,
    );
    expect(bulk.items.map((item: any) => Object.values<any>(item)[0].status)).toEqual([201, 200]);
    expect((await out.request('GET', '/books/_doc/2')).status).toBe(404);
    await out.ok('POST', '/books/_refresh');
  });

  test('every node answers searches of every index', async () => {
    for (const node of cluster.nodes) {
      const { hits, _shards } = await node.ok('POST', '/books/_search', { query: { range: { n: { gte: 0 } } }, sort: ['n'] });
      expect(hits.hits.map(({ _id }: { _id: string }) => _id)).toEqual(['0', '1', 'b']);
      expect(_shards).toMatchObject({ total: 2, successful: 2, failed: 0 });
      expect((await node.ok('GET', '/books/_count')).count).toBe(3);
    }
  });

  test('scrolls, points in time, async searches and tasks begin on a node with the index and continue from every node', async () => {
    const out = await outsider('books');
    const page = await out.ok('POST', '/books/_search?scroll=1m', { size: 1, sort: ['_doc'] });
    const [other] = cluster.nodes.filter((node) => node !== out);
    expect((await other.ok('POST', '/_search/scroll', { scroll_id: page._scroll_id })).hits.hits).toHaveLength(1);
    const { id } = await out.ok('POST', '/books/_pit?keep_alive=1m');
    for (const node of cluster.nodes) expect((await node.ok('POST', '/_search', { pit: { id } })).hits.total.value).toBe(3);
    const search = await out.ok('POST', '/books/_async_search?keep_on_completion=true&wait_for_completion_timeout=10s', {});
    expect((await other.ok('GET', `/_async_search/${search.id}`)).response.hits.total.value).toBe(3);
    const reindex = { source: { index: 'books' }, dest: { index: 'copied' } };
    expect((await out.ok('POST', '/_reindex?refresh=true', reindex)).created).toBe(3);
    const { task } = await out.ok('POST', '/books/_update_by_query?wait_for_completion=false&conflicts=proceed', {
      script: { source: 'ctx._source.n += 10' },
    });
    const ended = await other.ok('GET', `/_tasks/${task}?wait_for_completion=true`);
    expect(ended.response.updated).toBe(3);
    for (const node of cluster.nodes) expect((await node.ok('GET', '/copied/_count')).count).toBe(3);
  });

  test('a search over indices of different nodes is answered by all of them, what cannot be put together is refused', async () => {
    const [first, , third] = cluster.nodes;
    const place = (index: string, node: number, replicas = 0) =>
      first.ok('PUT', `/${index}`, {
        settings: { number_of_replicas: replicas, 'routing.allocation.require._name': `node-${node}` },
      });
    await Promise.all([place('one', 1), place('two', 2), place('twin', 2)]);
    for (const index of ['one', 'two', 'twin']) await first.ok('PUT', `/${index}/_doc/1?refresh=true`, { n: 1 });
    expect(await holders(third, 'one')).toEqual(['node-1']);
    for (const node of cluster.nodes) {
      expect((await node.ok('POST', '/two,twin/_search', {})).hits.total.value).toBe(2);
      const both = await node.ok('POST', '/one,two/_search', { sort: ['_index'], query: { match: { n: 1 } } });
      expect(both.hits.hits.map(({ _index, _id }: any) => `${_index}/${_id}`)).toEqual(['one/1', 'two/1']);
      expect(both._shards).toEqual({ total: 2, successful: 2, skipped: 0, failed: 0 });
      expect((await node.ok('POST', '/one,two/_count')).count).toBe(2);
      const background = await node.ok('POST', '/one,two/_async_search?wait_for_completion_timeout=10s', {});
      expect(background.response.hits.total.value).toBe(2);
      for (const target of ['/one,two/_segments', '/one,two/_pit?keep_alive=1m']) {
        const method = target.endsWith('_segments') ? 'GET' : 'POST';
        const { status, body } = await node.request(method, target);
        expect([status, body.error.type]).toEqual([400, 'illegal_argument_exception']);
        expect(body.error.reason).toContain('no node has copies of all of [one, two]');
      }
      const lines = ['one', 'two', 'missing'].map((index) => `{"index":"${index}"}\n{}\n`).join('');
      for (const searches of [lines, lines.replace('one', 'twin')]) {
        const { responses } = await node.ok('POST', '/_msearch', searches);
        expect(responses.map(({ status, hits }: any) => [status, hits?.total.value])).toEqual([
          [200, 1],
          [200, 1],
          [404, undefined],
        ]);
      }
      const stats = await node.ok('GET', '/_cat/indices/one,two?format=json&s=index&h=index,health,docs.count');
      expect(stats.map((row: Record<string, string>) => row['docs.count'])).toEqual(['1', '1']);
      expect((await node.ok('POST', '/one,two/_refresh'))._shards.failed).toBe(0);
    }
  });

  test('a copy moves to another node during writes and searches; only a write in flight to the old primary may have an unknown outcome', async () => {
    const [first] = cluster.nodes;
    await first.ok('PUT', '/moving', { settings: { number_of_replicas: 0, 'routing.allocation.require._name': 'node-1' } });
    await cluster.until(isGreen('moving'));
    let isOver = false;
    const acknowledged: string[] = [];
    let unknown = 0;
    const problems: unknown[] = [];
    const clients = cluster.nodes.map(async (node, at) => {
      for (let n = 0; !isOver; n++) {
        const id = `${at}-${n}`;
        const written = await node.request('PUT', `/moving/_doc/${id}${n % 5 === 0 ? '?refresh=true' : ''}`, { n });
        if (written.status === 201) acknowledged.push(id);
        else if (/it is not known whether/.test(JSON.stringify(written.body))) {
          unknown++;
          continue;
        } else problems.push(written.body);
        const count = acknowledged.length;
        const got = await node.request('GET', `/moving/_doc/${id}`);
        if (got.status !== 200) problems.push(got.body);
        const found = await node.request('POST', '/moving/_search', { size: 10 });
        if (found.status !== 200 || found.body._shards.failed > 0 || found.body.hits.total.value > count + 10) problems.push(found.body);
      }
    });
    for (const target of ['node-2', 'node-3', 'node-1', 'node-2']) {
      await first.ok('PUT', '/moving/_settings', { 'index.routing.allocation.require._name': target });
      await cluster.until(async () => (await holders(first, 'moving')).join() === target);
    }
    isOver = true;
    await Promise.all(clients);
    expect(problems).toEqual([]);
    await first.ok('POST', '/moving/_refresh');
    const { count } = await first.ok('GET', '/moving/_count');
    expect(count - acknowledged.length).toBeGreaterThanOrEqual(0);
    expect(count - acknowledged.length).toBeLessThanOrEqual(unknown);
    // Each client has one write in flight at each of the four moves.
    expect(unknown).toBeLessThanOrEqual(4 * cluster.nodes.length);
    for (const node of cluster.nodes) expect((await node.ok('GET', '/moving/_count')).count).toBe(count);
  });

  test('when the node with a primary is lost, a replica takes over, and another node gets a copy after the delay', async () => {
    const [first] = cluster.nodes;
    const settings = { number_of_replicas: 1, 'unassigned.node_left.delayed_timeout': '4s' };
    await first.ok('PUT', '/kept', { settings });
    await cluster.until(isGreen('kept'));
    const before = await holders(first, 'kept');
    const lost = nodeNamed(before[0]);
    const [one, two] = cluster.nodes.filter((node) => node !== lost);
    for (let n = 0; n < 20; n++) await one.ok('PUT', `/kept/_doc/${n}`, { n });
    await lost.end('SIGKILL');
    await two.ok('PUT', '/kept/_doc/20?refresh=true', { n: 20 });
    expect((await two.ok('GET', '/kept/_count')).count).toBe(21);
    const health = await one.ok('GET', '/_cluster/health/kept');
    expect(health).toMatchObject({ status: 'yellow', active_primary_shards: 1, unassigned_shards: 1, delayed_unassigned_shards: 1 });
    const missing = (await one.ok('GET', '/_cluster/state/routing_table/kept')).routing_table.indices.kept.shards['0'][1];
    expect(missing.unassigned_info).toMatchObject({ reason: 'NODE_LEFT', delayed: true });
    await cluster.until(async () => (await one.ok('GET', '/_cluster/health/kept')).status === 'green');
    expect((await holders(one, 'kept')).sort()).toEqual([one.name, two.name].sort());
    for (const node of [one, two]) expect((await node.ok('POST', '/kept/_search', { size: 0 })).hits.total.value).toBe(21);
    await lost.start();
    await cluster.until(async () => (await one.ok('GET', '/_cluster/health')).number_of_nodes === 3);
    expect((await lost.ok('POST', '/kept/_search', { size: 0 })).hits.total.value).toBe(21);
  });

  test('operators move, add and cancel copies, and are told why others are not possible', async () => {
    const [first, second] = cluster.nodes;
    await first.ok('PUT', '/_cluster/settings', { persistent: { 'cluster.routing.rebalance.enable': 'none' } });
    await first.ok('PUT', '/manual', { settings: { number_of_replicas: 0, 'routing.allocation.include._name': 'node-1,node-2' } });
    await first.ok('PUT', '/manual/_doc/1?refresh=true', { n: 1 });
    const [from] = await holders(first, 'manual');
    const to = from === 'node-1' ? 'node-2' : 'node-1';
    const about = { index: 'manual', shard: 0 };
    const reroute = (command: object, query = '') =>
      second.request('POST', `/_cluster/reroute?metric=none${query}`, { commands: [command] });
    const refused = await reroute({ move: { ...about, from_node: from, to_node: 'node-3' } });
    expect(refused.status).toBe(400);
    expect(refused.body.error.reason).toContain('[index.routing.allocation.include._name]');
    const dry = await reroute({ move: { ...about, from_node: from, to_node: to } }, '&dry_run=true&explain=true');
    expect(dry.body.explanations[0].decisions[0].decision).toBe('YES');
    expect(await holders(first, 'manual')).toEqual([from]);
    expect((await reroute({ move: { ...about, from_node: from, to_node: to } })).status).toBe(200);
    await cluster.until(async () => (await holders(first, 'manual')).join() === to);
    const explained = await second.ok('POST', '/_cluster/allocation/explain', { ...about, primary: true });
    expect(explained).toMatchObject({ current_state: 'started', current_node: { name: to }, can_remain_on_current_node: 'yes' });
    const third = explained.node_allocation_decisions.find((node: { node_name: string }) => node.node_name === 'node-3');
    expect(third).toMatchObject({ node_decision: 'no', deciders: [{ decider: 'filter' }] });
    const full = await reroute({ allocate_replica: { ...about, node: from } });
    expect(full.body.error.reason).toContain('all copies of [manual][0] are already assigned');
    await first.ok('PUT', '/manual/_settings', { 'index.routing.allocation.enable': 'none', number_of_replicas: 1 });
    const unassigned = await first.ok('POST', '/_cluster/allocation/explain', { ...about, primary: false });
    expect(unassigned).toMatchObject({ current_state: 'unassigned', can_allocate: 'no' });
    await first.ok('PUT', '/manual/_settings', { 'index.routing.allocation.enable': 'all' });
    await cluster.until(isGreen('manual'));
    expect((await reroute({ cancel: { ...about, node: to } })).body.error.reason).toContain('shard is primary and started');
    expect((await reroute({ cancel: { ...about, node: from } })).status).toBe(200);
    await cluster.until(isGreen('manual'));
    for (const node of cluster.nodes) expect((await node.ok('GET', '/manual/_count')).count).toBe(1);
  });

  test('a copy that begins after its log was trimmed is filled from a snapshot, while other nodes have no copy', async () => {
    const [first] = cluster.nodes;
    const settings = { number_of_replicas: 0, 'routing.allocation.require._name': 'node-1' };
    await first.ok('PUT', '/grown', { settings });
    const bulk = (from: number) =>
      Array.from({ length: 200 }, (_, n) => `{"index":{"_id":"g${from + n}"}}\n{"n":${from + n},"text":"${'grown '.repeat(100)}"}\n`).join(
        '',
      );
    for (let from = 0; from < 2000; from += 200) expect((await first.ok('POST', '/grown/_bulk', bulk(from))).errors).toBe(false);
    const [{ uuid }] = await first.ok('GET', '/_cat/indices/grown?format=json');
    const isTrimmed = async () =>
      (await cluster.streams()).some(({ name, first: seq }) => name.includes('-index-') && name.endsWith(uuid) && seq > 1);
    await cluster.until(isTrimmed);
    await first.ok('PUT', '/grown/_settings', { 'index.routing.allocation.require._name': 'node-3' });
    await cluster.until(async () => (await holders(first, 'grown')).join() === 'node-3');
    for (const node of cluster.nodes) expect((await node.ok('GET', '/grown/_count')).count).toBe(2000);
    const [recovery] = await nodeNamed('node-3').ok('GET', '/_cat/recovery/grown?format=json');
    expect([recovery.type, recovery.stage, Number(recovery.files_recovered) > 0]).toEqual(['peer', 'done', true]);
    expect(await nodeNamed('node-2').ok('GET', '/_cat/recovery/grown?format=json')).toEqual([]);
  });

  test('all nodes start again with their copies', async () => {
    const [first] = cluster.nodes;
    const before = await holders(first, 'books');
    await Promise.all(cluster.nodes.map((node) => node.end()));
    await Promise.all(cluster.nodes.map((node) => node.start()));
    await cluster.until(isGreen('books'));
    expect((await holders(first, 'books')).sort()).toEqual(before.sort());
    for (const node of cluster.nodes) expect((await node.ok('GET', '/books/_count')).count).toBe(3);
  });
});
