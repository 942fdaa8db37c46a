// Checks the histories of clients of a cluster of three nodes and three NATS servers, under faults: nodes and NATS servers are killed or stopped, and
// connections are interrupted per pair and direction.
//   npm run test:cluster [-- --rounds 20] [--seed 1] [--faults 3] [--seconds 6] [--copies allocated]
//                                             --seconds: longest duration of a fault; --copies: `cluster.copies`; needs nats-server and Linux
// Checked after each round (test/cluster/round.ts):
//   - the history of every document is linearizable: index, create, if_seq_no, delete and reads by id on any node; so is that of every
//     index: creations, deletions and HEAD on any node;
//   - every acknowledged document is present, no refused one is; a request whose outcome is unknown may have taken effect or not;
//   - a search finds everything that a successful refresh before it has covered, unless it reports failed shards;
//   - the copies of all nodes have the same documents, versions, sequence numbers and primary terms.
// Nodes run with cluster.stale_reads 0: otherwise a node without NATS may return old versions for that time.
// Prints a line per round and ends with `N passed, N failed`; exit code 1 if a round failed.
import { parseArgs } from 'node:util';
import { TestCluster } from '../support/cluster.ts';
import { HAS_NATS } from '../support/nats.ts';
import { runRound } from './round.ts';

const { values: args } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
    copies: { type: 'string', default: 'everywhere' },
  },
});
const SHOWN_PROBLEMS = 5;

if (!HAS_NATS || process.platform !== 'linux') {
  console.log('skipped: needs Linux, and nats-server on the PATH');
  process.exit(0);
}

const start = () =>
  TestCluster.start({ nodes: 3, natsServers: 3, isFaulty: true, flags: ['--cluster.stale_reads=0s', `--cluster.copies=${args.copies}`] });
let cluster = await start();
let passed = 0;
let failed = 0;
const first = Number(args.seed);
for (let seed = first; seed < first + Number(args.rounds); seed++) {
  const startMs = performance.now();
  try {
    const options = { faults: Number(args.faults), maxFaultMs: Number(args.seconds) * 1000 };
    const { problems, faults, history } = await runRound(cluster, seed, options);
    const { acknowledged, refused, unknown, searches } = history;
    if (problems.length === 0) passed++;
    else failed++;
    console.log(
      `seed ${seed}: ${problems.length === 0 ? 'ok' : 'FAILED'}, ${acknowledged} acknowledged, ${refused} refused, ${unknown} unknown, ${searches} searches, ${Math.round((performance.now() - startMs) / 1000)} s [${faults.join('; ')}]`,
    );
    for (const problem of problems.slice(0, SHOWN_PROBLEMS)) console.log(`  ${problem}`);
  } catch (error) {
    failed++;
    console.log(`seed ${seed}: FAILED, ${Math.round((performance.now() - startMs) / 1000)} s: ${(error as Error).message}`);
    await cluster.stop();
    cluster = await start();
  }
}
await cluster.stop();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
