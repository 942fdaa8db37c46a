// `gannet analyze`: the tokens of a text as a table, from a running service.
import { checkFlags, flagText, parseArguments, UsageError } from './arguments.ts';
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

export async function analyzeCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, ['analyzer', 'tokenizer', 'filter', 'char-filter', 'url', 'index', 'field', 'user']);
  const text = args.positionals.length > 0 ? args.positionals.join(' ') : await readStandardInput();
  if (text === '') throw new UsageError('analyze needs a text');
  const list = (name: string): string[] | undefined => flagText(args, name)?.split(',');
  const tokenizer = flagText(args, 'tokenizer');
  const field = flagText(args, 'field');
  const isChain = tokenizer !== undefined || args.flags.filter !== undefined || args.flags['char-filter'] !== undefined;
  const body = {
    text,
    analyzer: isChain || field !== undefined ? undefined : (flagText(args, 'analyzer') ?? 'standard'),
    tokenizer: tokenizer ?? (isChain ? 'standard' : undefined),
    filter: list('filter'),
    char_filter: list('char-filter'),
    field,
  };
  const client = new ServiceClient(flagText(args, 'url') ?? 'http://127.0.0.1:9200', flagText(args, 'user'));
  const index = flagText(args, 'index');
  try {
    const answer = await client.send(
      'POST',
      `${index === undefined ? '' : `/${encodeURIComponent(index)}`}/_analyze`,
      JSON.stringify(body),
    );
    const json = JSON.parse(answer.text) as { tokens?: ServiceToken[]; error?: { reason?: string } };
    if (!json.tokens) {
      process.stderr.write(`gannet: ${json.error?.reason ?? answer.text}\n`);
      return 1;
    }
    const rows = json.tokens.map((token) => [
      String(token.position),
      token.token,
      `${token.start_offset}-${token.end_offset}`,
      token.type,
      token.positionLength === undefined ? '' : String(token.positionLength),
    ]);
    process.stdout.write(`${textTable(['position', 'token', 'offsets', 'type', 'length'], rows)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`gannet: no service answers: ${(error as Error).message}\n`);
    return 1;
  } finally {
    client.close();
  }
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').trimEnd();
}
