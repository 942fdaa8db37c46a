// How the link of a node applies entries of the metadata log while the node starts, against a real NATS server. The file is skipped where nats-server is not
// on the PATH.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/load-settings.ts';
import { emptyClusterState } from '../../src/metadata/empty-state.ts';
import type { ClusterLink, LinkedNode } from '../../src/node/cluster/cluster-link.ts';
import { connectCluster } from '../../src/node/cluster/jetstream-link.ts';
import { commandEntry } from '../../src/node/metadata/metadata-log.ts';
import type { NodeOptions } from '../../src/node/threads/node-options.ts';
import { freePort } from '../support/free-port.ts';
import { HAS_NATS, NatsServers } from '../support/nats.ts';

/** A link, and the entries that its node was told to store only, and to use in all threads. */
interface Joined {
  readonly link: ClusterLink;
  readonly replayed: string[];
  readonly applied: string[];
}

describe.skipIf(!HAS_NATS)('a node that starts', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-join-'));
  let nats: NatsServers;
  const links: ClusterLink[] = [];
  beforeAll(async () => {
    nats = await NatsServers.prepare(folder, 1);
    await nats.start();
  });
  afterAll(async () => {
    await Promise.all(links.map((link) => link.leave()));
    await nats.endAll();
    rmSync(folder, { recursive: true, force: true });
  });

  async function join(name: string): Promise<Joined> {
    const settings = loadSettings({
      flags: {
        'cluster.nats.servers': [`nats://127.0.0.1:${nats.portOf(0)}`],
        'cluster.nats.replicas': 1,
        'cluster.secret': 'a secret of the test cluster',
        'node.name': name,
        'path.data': path.join(folder, name),
        'transport.port': await freePort(),
      },
      file: null,
    });
    const options = { settings, clusterName: settings['cluster.name'], nodeName: name, nodeId: name } as NodeOptions;
    const link = await connectCluster(options, () => undefined);
    links.push(link);
    const [replayed, applied]: string[][] = [[], []];
    const nameOf = (entry: Parameters<LinkedNode['replay']>[0]) => (entry.kind === 'command' ? entry.name : entry.kind);
    let queue: Promise<unknown> = Promise.resolve();
    const node: Partial<LinkedNode> = {
      state: () => emptyClusterState('cluster'),
      position: null,
      replay: (entry) => void replayed.push(nameOf(entry)),
      apply: async (entry) => void applied.push(nameOf(entry)),
      inQueue<T>(change: () => Promise<T>): Promise<T> {
        const done = queue.then(change);
        queue = done.catch(() => undefined);
        return done;
      },
      log: () => undefined,
    };
    await link.join(() => node as LinkedNode);
    return { link, replayed, applied };
  }

  test('stores what it reads before its shards open, and uses in all threads what it reads from then on', async () => {
    const first = await join('first');
    expect(first.replayed).toEqual(['start']);
    expect(await first.link.metadataLog.append(commandEntry('deleteScript', { id: 'early' }))).toBe(true);
    const second = await join('second');
    expect(second).toMatchObject({ replayed: ['start', 'deleteScript'], applied: [] });
    // Copies follow their logs before the node is in the cluster, and need mappings that others have added meanwhile.
    expect(await first.link.metadataLog.append(commandEntry('clearVotingExclusions', {}))).toBe(true);
    await second.link.catchUp();
    expect(second).toMatchObject({ replayed: ['start', 'deleteScript'], applied: ['clearVotingExclusions'] });
  });
});
