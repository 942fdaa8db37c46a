// Sends thousands of hostile requests to a service, one at a time, next to a canary that sends plain searches, and prints a table by family
// and whether plain searches and the event loops of listeners kept their limits.
//   npm run test:hostile [-- --family regexp,script] [--match TEXT] [--every 10] [--slow 100] [--threads 2] [--json FILE]
//   --every N   only each Nth case; --match  cases with this text in their name; --slow MS  prints cases with a canary slower, or a turn of a listener longer, than this
// Exit code 1 if a case has a fault: the process died, no answer, an answer later than its timeout plus a second, a service that stays blocked,
// or an internal error.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { allCases } from './all-cases.ts';
import { DOCUMENTS } from './dataset.ts';
import { lineOf, tableOf, verdictOn } from './report.ts';
import { type CaseResult, HostileRunner } from './runner.ts';

const { values: args } = parseArgs({
  options: {
    family: { type: 'string', default: '' },
    match: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    slow: { type: 'string', default: '100' },
    threads: { type: 'string', default: '2' },
    json: { type: 'string' },
  },
});
/** Heavy requests end before the runner's own timeout. */
const MAX_RUN_TIME = '--thread_pool.heavy.max_run_time=10s';

const families = args.family.split(',').filter((family) => family !== '');
const cases = [...allCases()]
  .filter(({ family, name }) => (families.length === 0 || families.includes(family)) && name.includes(args.match))
  .filter((_, i) => i % Number(args.every) === 0);
const runner = await HostileRunner.start([`--threads=${args.threads}`, MAX_RUN_TIME], DOCUMENTS);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => runner.stop().then(() => process.exit(1)));
const results: CaseResult[] = [];
for (const hostile of cases) {
  const result = await runner.run(hostile);
  results.push(result);
  const isSlow = Math.max(result.turnMs, ...result.canary) > Number(args.slow);
  if (result.faults.length > 0 || isSlow) console.log(lineOf(result));
}
await runner.stop();
console.log(tableOf(results).join('\n'));
if (args.json)
  writeFileSync(
    args.json,
    JSON.stringify(
      results.map(({ case: { family, name }, ...rest }) => ({ family, name, ...rest })),
      null,
      1,
    ),
  );
const faults = results.filter((result) => result.faults.length > 0).length;
console.log(verdictOn(results).join('\n'));
console.log(`${results.length - faults} passed, ${faults} failed`);
process.exitCode = faults > 0 ? 1 : 0;
