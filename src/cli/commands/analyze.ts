// `gannet analyze`: asks a running service for the tokens of a text and shows them as a table, for one analyzer or several.
import { ANALYZERS } from '../../analysis/registry.ts';
import { textTable } from '../../common/terminal/text-table.ts';
import { type Arguments, checkFlags, flagValue, parseArguments, UsageError } from '../arguments.ts';
import { DEFAULT_URL, ServiceClient } from '../service-client.ts';

interface ServiceToken {
  readonly token: string;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly type: string;
  readonly position: number;
  readonly positionLength?: number;
}

interface AnalyzeResponse {
  readonly tokens?: ServiceToken[];
  readonly error?: { readonly reason?: string };
}

/** Sends one `_analyze` request. @throws Error with the service's reason */
type Analyze = (body: Record<string, unknown>) => Promise<ServiceToken[]>;

export async function analyzeCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, ['analyzer', 'tokenizer', 'filter', 'char-filter', 'url', 'index', 'field', 'user']);
  const text = args.positionals.length > 0 ? args.positionals.join(' ') : await readStandardInput();
  if (text === '') throw new UsageError('analyze needs a text');
  const client = new ServiceClient(flagValue(args, 'url') ?? DEFAULT_URL, flagValue(args, 'user'));
  const index = flagValue(args, 'index');
  const path = `${index === null ? '' : `/${encodeURIComponent(index)}`}/_analyze`;
  const analyze: Analyze = async (body) => {
    const response = await client.send('POST', path, JSON.stringify(body)).catch((error: Error) => {
      throw new Error(`no response from the service: ${error.message}; start one with \`gannet serve\`, or name its address with --url`);
    });
    const { tokens, error }: AnalyzeResponse = JSON.parse(response.text);
    if (!tokens) throw new Error(error?.reason ?? response.text);
    return tokens;
  };
  try {
    const names = flagValue(args, 'analyzer')?.split(',') ?? [];
    const isComparison = names.length > 1 || names[0] === 'all';
    process.stdout.write(`${isComparison ? await comparison(names, text, analyze) : tokenTable(await analyze(analyzeBody(args, text)))}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`gannet: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    client.close();
  }
}

function analyzeBody(args: Arguments, text: string): Record<string, unknown> {
  const list = (name: string): string[] | undefined => flagValue(args, name)?.split(',');
  const tokenizer = flagValue(args, 'tokenizer');
  const field = flagValue(args, 'field');
  const isChain = tokenizer !== null || args.flags.filter !== undefined || args.flags['char-filter'] !== undefined;
  return {
    text,
    ...(!isChain && field === null && { analyzer: flagValue(args, 'analyzer') ?? 'standard' }),
    ...(isChain && { tokenizer: tokenizer ?? 'standard' }),
    ...(field !== null && { field }),
    filter: list('filter'),
    char_filter: list('char-filter'),
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

/** One row with all terms per analyzer; the name `all` means every built-in one. */
async function comparison(names: readonly string[], text: string, analyze: Analyze): Promise<string> {
  const rows: string[][] = [];
  for (const analyzer of names.flatMap((name) => (name === 'all' ? [...ANALYZERS.keys()].sort() : [name]))) {
    const tokens = await analyze({ text, analyzer });
    rows.push([analyzer, String(tokens.length), tokens.map((token) => token.token).join(' ')]);
  }
  return textTable(['analyzer', 'tokens', 'terms'], rows);
}

/** Empty on a terminal, where it would not be obvious that the command waits for input. */
async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8').trimEnd();
}
