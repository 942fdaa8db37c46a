// Snapshots and restores of the real service against `cp -r` of the stopped data directory followed by `sync`.
//   npm run bench:snapshots [-- --docs 300000] [--rounds 3]
// Corpus: documents of about 1 KB with random words, seed 1, one shard. Per round, in turns: cp, a first snapshot into an empty repository, one
// after 1% more documents, one without changes, a restore. Prints the median seconds and MB/s of the bytes that each moves. The restored index must
// have the same number of documents and the same sum of a field.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Rng } from '../../test/support/rng.ts';
import { startService, type TestService } from '../../test/support/service.ts';

const { values: args } = parseArgs({ options: { docs: { type: 'string', default: '300000' }, rounds: { type: 'string', default: '3' } } });
const DOCS = Number(args.docs);
const ROUNDS = Number(args.rounds);
const BULK_DOCS = 2000;
const WORDS = 60_000;
const rng = new Rng(1);
const data = mkdtempSync(path.join(os.tmpdir(), 'gannet-bench-data-'));
const repo = mkdtempSync(path.join(os.tmpdir(), 'gannet-bench-repo-'));
const times = new Map<string, { seconds: number[]; bytes: number }>();

async function ok(service: TestService, method: string, target: string, body?: unknown): Promise<any> {
  const answer = await service.request(method, target, body);
  if (answer.status >= 300) throw new Error(`${method} ${target}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

let written = 0;
async function index(service: TestService, count: number): Promise<void> {
  for (let left = count; left > 0; left -= BULK_DOCS) {
    const lines: string[] = [];
    for (let i = 0; i < Math.min(left, BULK_DOCS); i++) {
      const text = Array.from({ length: 150 }, () => `w${rng.skewed(WORDS)}`).join(' ');
      lines.push(`{"index":{"_id":"${written}"}}\n{"n":${written++},"text":"${text}"}\n`);
    }
    await ok(service, 'POST', '/docs/_bulk', lines.join(''));
  }
}

async function measure(name: string, bytes: () => Promise<number> | number, action: () => Promise<unknown> | unknown): Promise<void> {
  const started = performance.now();
  await action();
  const seconds = (performance.now() - started) / 1000;
  const entry = times.get(name) ?? { seconds: [], bytes: 0 };
  entry.seconds.push(seconds);
  entry.bytes = await bytes();
  times.set(name, entry);
}

/** Bytes of a folder as `du` counts them. */
function sizeOf(folder: string): number {
  return Number(execFileSync('du', ['-s', '--block-size=1', folder], { encoding: 'utf8' }).split('\t')[0]);
}

const flags = [`--path.repo=${repo}`];
let service = await startService(flags, data);
await ok(service, 'PUT', '/docs', {
  settings: { number_of_replicas: 0 },
  mappings: { properties: { n: { type: 'long' }, text: { type: 'text' } } },
});
await index(service, DOCS);
await ok(service, 'POST', '/docs/_forcemerge?max_num_segments=4');
for (let round = 0; round < ROUNDS; round++) {
  await service.stop({ keepData: true });
  const copy = path.join(repo, 'copy');
  await measure(
    'cp -r, sync',
    () => sizeOf(copy),
    () => {
      execFileSync('cp', ['-r', data, copy]);
      execFileSync('sync');
    },
  );
  rmSync(copy, { recursive: true });
  service = await startService(flags, data);
  await ok(service, 'PUT', '/_snapshot/r', { type: 'fs', settings: { location: `r${round}` } });
  const newBytes = async (name: string) =>
    (await ok(service, 'GET', `/_snapshot/r/${name}/_status`)).snapshots[0].stats.incremental.size_in_bytes;
  const create = (name: string) => ok(service, 'PUT', `/_snapshot/r/${name}?wait_for_completion=true`, { indices: 'docs' });
  await measure(
    'first snapshot',
    () => newBytes('s1'),
    () => create('s1'),
  );
  await index(service, Math.ceil(DOCS / 100));
  await measure(
    'snapshot after 1% more documents',
    () => newBytes('s2'),
    () => create('s2'),
  );
  await measure(
    'snapshot without changes',
    () => newBytes('s3'),
    () => create('s3'),
  );
  await measure(
    'restore',
    async () => (await ok(service, 'GET', '/_snapshot/r/s3/_status')).snapshots[0].stats.total.size_in_bytes,
    () =>
      ok(service, 'POST', '/_snapshot/r/s3/_restore?wait_for_completion=true', { rename_pattern: '.+', rename_replacement: 'restored' }),
  );
  const sum = async (name: string) => {
    await ok(service, 'POST', `/${name}/_refresh`);
    const { hits, aggregations } = await ok(service, 'POST', `/${name}/_search`, {
      size: 0,
      track_total_hits: true,
      aggs: { sum: { sum: { field: 'n' } } },
    });
    return `${hits.total.value} ${aggregations.sum.value}`;
  };
  if ((await sum('docs')) !== (await sum('restored'))) throw new Error('the restored index differs');
  await ok(service, 'DELETE', '/restored');
  await ok(service, 'DELETE', '/_snapshot/r/*');
}
await service.stop();
rmSync(repo, { recursive: true });
for (const [name, { seconds, bytes }] of times) {
  const median = [...seconds].sort((a, b) => a - b)[Math.floor(seconds.length / 2)];
  console.log(
    `${name.padEnd(34)} ${median.toFixed(2).padStart(7)} s  ${(bytes / 1e6).toFixed(1).padStart(8)} MB  ${(bytes / 1e6 / median).toFixed(0).padStart(5)} MB/s`,
  );
}
