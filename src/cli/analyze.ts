// `gannet analyze`: the tokens of a text as a table, from a running service; of one analyzer, or of several beside each other.
import { ANALYZERS } from '../analysis/registry.ts';
import { type Arguments, checkFlags, flagText, parseArguments, UsageError } from './arguments.ts';
import { ServiceClient } from './service-client.ts';
import { textTable } from './table.ts';

interface ServiceToken {
  readonly token: string;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly type: string;
  readonly position: number;
  readonly positionLength?: number;
}

/** Asks the service for the tokens of one request. @throws Error with the service's reason */
type Ask = (body: Record<string, unknown>) => Promise<ServiceToken[]>;

export async function analyzeCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, ['analyzer', 'tokenizer', 'filter', 'char-filter', 'url', 'index', 'field', 'user']);
  const text = args.positionals.length > 0 ? args.positionals.join(' ') : await readStandardInput();
  if (text === '') throw new UsageError('analyze needs a text');
  const client = new ServiceClient(flagText(args, 'url') ?? 'http://127.0.0.1:9200', flagText(args, 'user'));
  const index = flagText(args, 'index');
  const path = `${index === undefined ? '' : `/${encodeURIComponent(index)}`}/_analyze`;
  const ask: Ask = async (body) => {
    const answer = await client.send('POST', path, JSON.stringify(body)).catch((error: Error) => {
      throw new Error(`no service answers: ${error.message}; \`gannet serve\` starts one, --url tells where it is`);
    });
    const json = JSON.parse(answer.text) as { tokens?: ServiceToken[]; error?: { reason?: string } };
    if (!json.tokens) throw new Error(json.error?.reason ?? answer.text);
    return json.tokens;
  };
  try {
    const names = flagText(args, 'analyzer')?.split(',') ?? [];
    const isComparison = names.length > 1 || names[0] === 'all';
    process.stdout.write(`${isComparison ? await comparison(names, text, ask) : tokenTable(await ask(requestOf(args, text)))}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`gannet: ${(error as Error).message}\n`);
    return 1;
  } finally {
    client.close();
  }
}

function requestOf(args: Arguments, text: string): Record<string, unknown> {
  const list = (name: string): string[] | undefined => flagText(args, name)?.split(',');
  const tokenizer = flagText(args, 'tokenizer');
  const field = flagText(args, 'field');
  const isChain = tokenizer !== undefined || args.flags.filter !== undefined || args.flags['char-filter'] !== undefined;
  return {
    text,
    analyzer: isChain || field !== undefined ? undefined : (flagText(args, 'analyzer') ?? 'standard'),
    tokenizer: tokenizer ?? (isChain ? 'standard' : undefined),
    filter: list('filter'),
    char_filter: list('char-filter'),
    field,
  };
}

function tokenTable(tokens: readonly ServiceToken[]): string {
  const rows = tokens.map((token) => [
    String(token.position),
    token.token,
    `${token.start_offset}-${token.end_offset}`,
    token.type,
    token.positionLength === undefined ? '' : String(token.positionLength),
  ]);
  return textTable(['position', 'token', 'offsets', 'type', 'length'], rows);
}

/** A row per analyzer with its tokens; `all` stands for every built-in one. */
async function comparison(names: readonly string[], text: string, ask: Ask): Promise<string> {
  const rows: string[][] = [];
  for (const analyzer of names.flatMap((name) => (name === 'all' ? [...ANALYZERS.keys()].sort() : [name]))) {
    const tokens = await ask({ text, analyzer });
    rows.push([analyzer, String(tokens.length), tokens.map((token) => token.token).join(' ')]);
  }
  return textTable(['analyzer', 'tokens', 'terms'], rows);
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').trimEnd();
}
