// Command line arguments, parsed by Node: `--name value`, `--name=value`, `--flag` (true), and positional arguments. `--` ends the flags.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A usage error, printed with a hint to try `--help`. */
export class UsageError extends Error {}

export interface Arguments {
  /** By name without dashes; a flag without a value is `true`. */
  readonly flags: Readonly<Record<string, string | true>>;
  readonly positionals: readonly string[];
}

/**
 * Flags with a short form, and those that never have a value. Any other flag is accepted: settings are flags, too, and each command checks its own.
 * A value in the next argument is attached below, since Node's parser would need a list of all names.
 */
const OPTIONS: ParseArgsConfig['options'] = {
  help: { type: 'boolean', short: 'h' },
  exit: { type: 'boolean' },
  repair: { type: 'boolean' },
  pages: { type: 'boolean' },
  config: { type: 'boolean', short: 'c' },
  index: { type: 'boolean', short: 'i' },
  user: { type: 'boolean', short: 'u' },
};
const SWITCHES: readonly string[] = ['help', 'exit', 'partial', 'close', 'global-state', 'repair', 'pages', 'json', 'table', 'once', 'yes'];

export function parseArguments(argv: readonly string[]): Arguments {
  const { tokens } = parseArgs({ args: [...argv], options: OPTIONS, strict: false, tokens: true });
  const flags: Record<string, string | true> = {};
  const positionals: string[] = [];
  /** The flag whose value may be the next argument, and the index of that argument. */
  let open: { name: string; valueIndex: number } | null = null;
  for (const token of tokens) {
    if (token.kind === 'option') {
      flags[token.name] = token.value ?? true;
      open = token.value === undefined && !SWITCHES.includes(token.name) ? { name: token.name, valueIndex: token.index + 1 } : null;
    } else if (token.kind === 'positional') {
      if (open?.valueIndex === token.index) flags[open.name] = token.value;
      else positionals.push(token.value);
      open = null;
    }
  }
  return { flags, positionals };
}

/** @throws UsageError a flag is unknown to the command, or lacks its value */
export function checkFlags(args: Arguments, withValue: readonly string[], switches: readonly string[] = []): void {
  for (const [name, value] of Object.entries(args.flags)) {
    if (switches.includes(name)) continue;
    if (!withValue.includes(name)) throw new UsageError(`unknown flag [${name.length === 1 ? '-' : '--'}${name}]`);
    if (value === true) throw new UsageError(`flag [--${name}] needs a value`);
  }
}

/** Value of a flag, null without it. */
export function flagValue(args: Arguments, name: string): string | null {
  const value = args.flags[name];
  return value === undefined || value === true ? null : value;
}

/** A whole number within bounds. @throws UsageError */
export function flagNumber(args: Arguments, name: string, fallback: number, min: number, max: number): number {
  const value = flagValue(args, name);
  if (value === null) return fallback;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new UsageError(`flag [--${name}] must be a whole number from ${min} to ${max}, got [${value}]`);
  }
  return number;
}
