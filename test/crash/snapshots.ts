// Kills the service while it works on snapshots, many times (snapshot-rounds.ts).
//   npm run test:crash:snapshots [-- --rounds 100] [--seed 1]
// Prints a line per round and ends with `N passed, N failed`; exit code 1 if a round failed.
import { parseArgs } from 'node:util';
import { SnapshotRounds } from './snapshot-rounds.ts';

const { values: args } = parseArgs({ options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } } });
const rounds = new SnapshotRounds(Number(args.seed));
let passed = 0;
let failed = 0;
await rounds.start();
for (let number = 1; number <= Number(args.rounds); number++) {
  try {
    const { operation, answered } = await rounds.round();
    console.log(`round ${number}: ${operation}${answered ? ', answered' : ', interrupted'}`);
    passed++;
  } catch (error) {
    console.log(`round ${number}: ${(error as Error).message}`);
    failed++;
    break;
  }
}
await rounds.end();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
