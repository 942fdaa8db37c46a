// A short form of npm run test:cluster (test/cluster/run.ts).
import { expect, test } from 'vitest';
import { TestCluster } from '../support/cluster.ts';
import { HAS_NATS } from '../support/nats.ts';
import { runRound } from './round.ts';

test.skipIf(!HAS_NATS || process.platform !== 'linux')(
  'histories of documents and indices are linearizable while nodes and servers fail',
  async () => {
    const cluster = await TestCluster.start({ nodes: 3, natsServers: 3, isFaulty: true, flags: ['--cluster.stale_reads=0s'] });
    try {
      const { problems, history } = await runRound(cluster, 1, { faults: 2, maxFaultMs: 2000 });
      expect(problems).toEqual([]);
      expect(history.acknowledged).toBeGreaterThan(0);
    } finally {
      await cluster.stop();
    }
  },
);
