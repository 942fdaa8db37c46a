// `gannet front init`: writes a commented starter configuration, made from the examples in examples/front.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { packageFile } from '../package-folder.ts';

/** An example, and the directives that flags replace in it, as `NAME VALUE;`. */
interface Example {
  readonly about: string;
  readonly file: string;
  readonly listen?: string;
  readonly root?: string;
  /** every occurrence of the address is replaced */
  readonly to?: string;
}

export const EXAMPLES: Readonly<Record<string, Example>> = {
  static: { about: 'files of a folder', file: 'static.conf', listen: '8080', root: 'html' },
  proxy: { about: 'reverse proxy before an application', file: 'proxy.conf', listen: '8080', to: '127.0.0.1:3000' },
  search: { about: 'public search box before the engine', file: 'search.conf', listen: '127.0.0.1:8080', to: '127.0.0.1:9200' },
  tcp: { about: 'load balancer for TCP', file: 'tcp.conf', listen: '5432', to: '127.0.0.1:5433' },
  mail: { about: 'proxy for IMAP, POP3 and SMTP', file: 'mail.conf', to: '127.0.0.1:9000' },
};

const FLAGS = ['listen', 'root', 'to'] as const;
type Flag = (typeof FLAGS)[number];

const HELP = `usage: gannet front init --KIND [FLAGS] [FILE]
  writes a commented configuration to FILE (nginx.conf; - for standard output), and overwrites nothing

${Object.entries(EXAMPLES)
  .map(([kind, { about }]) => `  --${kind.padEnd(20)} ${about}`)
  .join('\n')}
  --listen [ADDRESS:]PORT  where clients connect
  --root FOLDER            files of --static
  --to HOST:PORT           back end, or the authentication server of --mail
`;

class InitError extends Error {}

/** @returns exit code: 0, 1 if the file cannot be written, 2 for a wrong call */
export async function initCommand(argv: string[]): Promise<number> {
  try {
    const call = parseCall(argv);
    if (call === 'help') {
      process.stdout.write(HELP);
      return 0;
    }
    const text = configurationText(call.kind, call.values);
    if (call.file === '-') {
      process.stdout.write(text);
      return 0;
    }
    return save(call.file, text);
  } catch (error) {
    if (!(error instanceof InitError)) throw error;
    process.stderr.write(`gannet front init: ${error.message}\n${HELP}`);
    return 2;
  }
}

interface Call {
  readonly kind: string;
  readonly values: Readonly<Partial<Record<Flag, string>>>;
  readonly file: string;
}

function parseCall(argv: string[]): Call | 'help' {
  const kinds = Object.keys(EXAMPLES);
  const options = Object.fromEntries([
    ...[...kinds, 'help'].map((name) => [name, { type: 'boolean' as const }]),
    ...FLAGS.map((name) => [name, { type: 'string' as const }]),
  ]);
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: argv, options, allowPositionals: true });
  } catch (error) {
    throw new InitError((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (values.help) return 'help';
  const wanted = kinds.filter((kind) => values[kind]);
  if (wanted.length !== 1) throw new InitError(`give one of ${kinds.map((kind) => `--${kind}`).join(', ')}`);
  if (positionals.length > 1) throw new InitError('give one file');
  const given: Partial<Record<Flag, string>> = {};
  for (const name of FLAGS) {
    const value = values[name];
    if (typeof value === 'string') given[name] = value;
  }
  return { kind: wanted[0], values: given, file: positionals[0] ?? 'nginx.conf' };
}

/** The example of a kind with the flags applied. @throws InitError a value is invalid, or this kind does not have the flag */
export function configurationText(kind: string, values: Readonly<Partial<Record<Flag, string>>>): string {
  const example = EXAMPLES[kind];
  let text = readFileSync(packageFile(`examples/front/${example.file}`), 'utf8');
  for (const name of FLAGS) {
    const value = values[name];
    if (value === undefined) continue;
    const own = example[name];
    if (own === undefined) throw new InitError(`--${kind} has no --${name}`);
    checkValue(name, value);
    const quoted = /\s/.test(value) ? `"${value}"` : value;
    if (name === 'to') text = text.replaceAll(new RegExp(`(?<![\\d.])${own.replaceAll('.', '\\.')}(?!\\d)`, 'g'), () => quoted);
    else text = text.replace(`${name} ${own};`, () => `${name} ${quoted};`);
  }
  return text;
}

function checkValue(name: Flag, value: string): void {
  const port = /(?:^|:)(\d{1,5})$/.exec(value)?.[1];
  if (/["\\;{}$\n]/.test(value) || value === '') throw new InitError(`--${name} must not be empty or contain any of " \\ ; { } $`);
  if (name !== 'root' && !value.startsWith('unix:') && !(Number(port) >= 1 && Number(port) <= 65_535)) {
    throw new InitError(`--${name} must end with a port from 1 to 65535, got "${value}"`);
  }
}

function save(file: string, text: string): number {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    process.stderr.write(`gannet front init: ${exists ? `${file} exists already and was not changed` : (error as Error).message}\n`);
    return 1;
  }
  process.stdout.write(`wrote ${file}\n  gannet front check -c ${file}\n  gannet front -c ${file}\n`);
  return 0;
}
