// Runs a track in Rally's form against one or two services by the same client, and prints one table.
//   tsx bench/rally/rally.ts TRACK.json [--challenge NAME] [--data FOLDER] [--url http://127.0.0.1:9200] [--user NAME:PASSWORD] [--against URL]
//                            [--against-user NAME:PASSWORD] [--connections 64]
//   TRACK.json  for example bench/rally/tracks/cities/track.json, whose corpus is that of `npm run bench:data -- --only cities`
//   --data      folder of the corpora; by default that of bench:data
//   --against   runs the same track there afterwards: another Gannet, or Elasticsearch or OpenSearch (bench/rivals/opensearch/run.sh)
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_URL, ServiceClient } from '../../src/cli/service-client.ts';
import { corpusPath } from '../data/corpus.ts';
import { machine } from '../query/rivals.ts';
import { usage } from '../usage.ts';
import { runTrack, type TaskResult } from './runner.ts';
import { readTrack } from './track.ts';

const { values, positionals } = parseArgs({
  options: {
    challenge: { type: 'string' },
    data: { type: 'string', default: corpusPath('') },
    url: { type: 'string', default: DEFAULT_URL },
    user: { type: 'string' },
    against: { type: 'string' },
    'against-user': { type: 'string' },
    connections: { type: 'string', default: '64' },
  },
  allowPositionals: true,
});
const [file, ...others] = positionals;
if (file === undefined || others.length > 0) usage('rally.ts TRACK.json [--url URL] [--against URL]');
const track = readTrack(path.resolve(file), values.challenge ?? null, values.data);
const results = [await runOn(values.url, values.user)];
if (values.against !== undefined) results.push(await runOn(values.against, values['against-user']));
process.stdout.write(`${resultTable(results)}\n\n${machine()}\n`);
for (const { name, firstError } of results.flat()) {
  if (firstError === null) continue;
  process.stdout.write(`${name}: ${firstError}\n`);
  process.exitCode = 1;
}

async function runOn(url: string, user: string | undefined): Promise<TaskResult[]> {
  const client = new ServiceClient(url, user ?? null, Number(values.connections));
  try {
    return await runTrack(track, client, (name) => process.stderr.write(`${new URL(url).host} ${name}\n`));
  } finally {
    client.close();
  }
}

/** One row per task; of two services, side by side. */
function resultTable([ours, theirs]: readonly TaskResult[][]): string {
  const heads = ['throughput', 'p50 ms', 'p99 ms', 'errors'];
  const names = theirs ? ['A', 'B'] : [''];
  const lines = [`| task | unit | ${names.flatMap((name) => heads.map((head) => `${name} ${head}`.trim())).join(' | ')} |`];
  lines.push(`|---|---|${'--:|'.repeat(heads.length * names.length)}`);
  const cells = ({ throughput, p50Ms, p99Ms, errors }: TaskResult): string[] => [
    throughput.toFixed(1),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    String(errors),
  ];
  for (const [i, one] of ours.entries())
    lines.push(`| ${[one.name, one.unit, ...cells(one), ...(theirs ? cells(theirs[i]) : [])].join(' | ')} |`);
  return lines.join('\n');
}
