// `gannet index ls|create|rm`: the indices of a running service.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { plainText } from '../../common/terminal/live-screen.ts';
import { type Paint, paintFor } from '../../common/terminal/paint.ts';
import { textTable } from '../../common/terminal/text-table.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import { type Arguments, checkFlags, flagNumber, flagValue, parseArguments, UsageError } from '../arguments.ts';
import { type ServiceClient, withClient } from '../service-client.ts';

interface CatRow {
  readonly health: string;
  readonly status: string;
  readonly index: string;
  readonly pri: string;
  readonly rep: string;
  readonly 'docs.count': string | null;
  readonly 'docs.deleted': string | null;
  readonly 'store.size': string | null;
}

const SERVICE_FLAGS = ['url', 'user'];

/** @returns exit code: 0, 1 if the service refuses */
export async function indexCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  const [verb, ...names] = args.positionals;
  const parsed = { ...args, positionals: names };
  if (verb === 'ls') return listIndices(parsed);
  if (verb === 'create') return createIndex(parsed);
  if (verb === 'rm') return removeIndices(parsed);
  throw new UsageError(
    verb === undefined ? 'index needs one of ls, create, rm' : `unknown command [index ${verb}]; it is one of ls, create, rm`,
  );
}

// -------------------------------------------------------------------------------------------------- ls

async function listIndices(args: Arguments): Promise<number> {
  checkFlags(args, SERVICE_FLAGS, ['json']);
  const patterns = args.positionals.map(encodeURIComponent).join(',');
  return withClient(args, async (client) => {
    const rows = await client.call<CatRow[]>('GET', `/_cat/indices${patterns === '' ? '' : `/${patterns}`}?format=json&bytes=b&s=index`);
    process.stdout.write(`${args.flags.json !== undefined ? JSON.stringify(rows, null, 2) : indexTable(rows, paintFor(process.stdout))}\n`);
    return 0;
  });
}

function indexTable(rows: readonly CatRow[], paint: Paint): string {
  if (rows.length === 0) return 'no indices';
  const cells = rows.map((row) => [
    plainText(row.index),
    row.status === 'close' ? 'closed' : row.health,
    row['docs.count'] ?? '-',
    row['docs.deleted'] ?? '-',
    row['store.size'] === null ? '-' : formatByteSize(Number(row['store.size'])),
    `${row.pri} x ${Number(row.rep) + 1}`,
  ]);
  const [head, ...lines] = textTable(['index', 'health', 'docs', 'deleted', 'size', 'shards x copies'], cells).split('\n');
  const byHealth: Record<string, (text: string) => string> = { red: paint.red, yellow: paint.yellow };
  return [paint.dim(head), ...lines.map((line, i) => (byHealth[cells[i][1]] ?? ((text) => text))(line))].join('\n');
}

// -------------------------------------------------------------------------------------------------- create

async function createIndex(args: Arguments): Promise<number> {
  checkFlags(args, [...SERVICE_FLAGS, 'body', 'shards', 'replicas']);
  const [name, ...others] = args.positionals;
  if (name === undefined || others.length > 0) throw new UsageError('index create needs one NAME');
  const body = readBody(args);
  const settings: Record<string, number> = {};
  if (args.flags.shards !== undefined) settings.number_of_shards = flagNumber(args, 'shards', 1, 1, 1024);
  if (args.flags.replicas !== undefined) settings.number_of_replicas = flagNumber(args, 'replicas', 1, 0, 100);
  const own = (body.settings ?? {}) as Record<string, unknown>;
  const sent = Object.keys(settings).length > 0 ? { ...body, settings: { ...own, ...settings } } : body;
  return withClient(args, async (client) => {
    const { index } = await client.call<{ index: string }>('PUT', `/${encodeURIComponent(name)}`, sent);
    process.stdout.write(`created ${index}\n`);
    return 0;
  });
}

/** Settings, mappings and aliases from the file of --body, `-` for standard input. @throws UsageError */
function readBody(args: Arguments): Record<string, unknown> {
  const file = flagValue(args, 'body');
  if (file === null) return {};
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new UsageError(`${file} must contain a JSON object`);
  return body as Record<string, unknown>;
}

// -------------------------------------------------------------------------------------------------- rm

async function removeIndices(args: Arguments): Promise<number> {
  checkFlags(args, SERVICE_FLAGS, ['yes']);
  const names = args.positionals;
  if (names.length === 0) throw new UsageError('index rm needs at least one NAME');
  const pattern = names.find((name) => /[*?,]/.test(name) || name === '_all');
  if (pattern !== undefined) throw new UsageError(`index rm takes names of indices, not patterns such as [${pattern}]`);
  const isConfirmed = args.flags.yes !== undefined;
  if (!isConfirmed && !process.stdin.isTTY)
    throw new UsageError('index rm deletes documents: without a terminal to confirm it needs --yes');
  return withClient(args, async (client) => {
    if (!isConfirmed && !(await confirm(client, names))) {
      process.stdout.write('nothing was deleted\n');
      return 1;
    }
    for (const name of names) {
      await client.call('DELETE', `/${encodeURIComponent(name)}`);
      process.stdout.write(`deleted ${name}\n`);
    }
    return 0;
  });
}

async function confirm(client: ServiceClient, names: readonly string[]): Promise<boolean> {
  const rows = await client.call<CatRow[]>('GET', `/_cat/indices/${names.map(encodeURIComponent).join(',')}?format=json&bytes=b`);
  const docs = rows.reduce((sum, row) => sum + Number(row['docs.count'] ?? 0), 0);
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(`Delete ${names.join(', ')} with ${docs} documents? [y/N] `);
  prompt.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
