// Command line arguments: `--name value`, `--name=value`, `--flag` (true), and the rest in order. `--` ends the flags.

export class UsageError extends Error {}

export interface Arguments {
  /** By name without dashes; a flag without a value is `true`. */
  readonly flags: Readonly<Record<string, string | true>>;
  readonly positionals: readonly string[];
}

const SHORT: Readonly<Record<string, string>> = { '-h': 'help', '-c': 'config', '-i': 'index', '-u': 'user' };

export function parseArguments(argv: readonly string[]): Arguments {
  const flags: Record<string, string | true> = {};
  const positionals: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i];
    if (argument === '--') {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    const name = SHORT[argument] ?? (argument.startsWith('--') ? argument.slice(2) : null);
    if (name === null) {
      positionals.push(argument);
      continue;
    }
    const equals = name.indexOf('=');
    if (equals > 0) flags[name.slice(0, equals)] = name.slice(equals + 1);
    else if (argv[i + 1] !== undefined && !argv[i + 1].startsWith('--') && name !== 'help') flags[name] = argv[++i];
    else flags[name] = true;
  }
  return { flags, positionals };
}

/** @throws UsageError a flag that the command does not know, or one without its value */
export function checkFlags(args: Arguments, withValue: readonly string[], switches: readonly string[] = []): void {
  for (const [name, value] of Object.entries(args.flags)) {
    if (switches.includes(name)) continue;
    if (!withValue.includes(name)) throw new UsageError(`unknown flag [--${name}]`);
    if (value === true) throw new UsageError(`flag [--${name}] needs a value`);
  }
}

/** Value of a flag that takes one. */
export function flagText(args: Arguments, name: string): string | undefined {
  const value = args.flags[name];
  return value === true ? undefined : value;
}

/** A whole number within bounds. @throws UsageError */
export function flagNumber(args: Arguments, name: string, fallback: number, min: number, max: number): number {
  const text = flagText(args, name);
  if (text === undefined) return fallback;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new UsageError(`flag [--${name}] must be a whole number from ${min} to ${max}, not [${text}]`);
  return number;
}
