// Directive tables. A module declares each directive once: the contexts that allow it, its number of arguments, their parser, its default and
// how it is inherited. The compiled configuration object of the module has one property per directive.
import { present } from '../../common/present.ts';
import { type DirectiveNode, failAt } from './syntax.ts';
import { parseOffset, parseSize, parseTimeMs, parseTimeSec } from './values.ts';

/** Contexts that allow a directive, as bits. */
export const MAIN = 1;
export const EVENTS = 2;
export const HTTP = 4;
export const SERVER = 8;
export const LOCATION = 16;
/** `if` in a server or in a location. */
export const SERVER_IF = 32;
export const LOCATION_IF = 64;
export const LIMIT_EXCEPT = 128;
export const UPSTREAM = 256;
export const HS = HTTP | SERVER;
export const HSL = HTTP | SERVER | LOCATION;
export const HSLI = HSL | LOCATION_IF;

export const CONTEXT_NAMES: [number, string][] = [
  [MAIN, 'main'],
  [EVENTS, 'events'],
  [HTTP, 'http'],
  [SERVER, 'server'],
  [LOCATION, 'location'],
  [SERVER_IF, 'if in server'],
  [LOCATION_IF, 'if in location'],
  [LIMIT_EXCEPT, 'limit_except'],
  [UPSTREAM, 'upstream'],
];

export const ANY_COUNT = 64;

/** Where a directive is applied. `scope` belongs to the builder; modules access it through HttpFrame. */
// biome-ignore lint/suspicious/noExplicitAny: the tables do not know the builder's type, the modules do
export interface Frame<Scope = any> {
  node: DirectiveNode;
  args: string[];
  scope: Scope;
  fail(message: string): never;
  /** Error in nginx's words: `invalid value "X"`. */
  invalid(value?: string): never;
  /** Error in nginx's words: `"NAME" directive WHY`. */
  refuse(why: string): never;
}

export interface Spec<V> {
  contexts: number;
  min: number;
  max: number;
  block: boolean;
  /** Default, as shown in the reference. */
  defaultText: string;
  /** Value if no level sets the directive. */
  fallback: V;
  /** The directive may be repeated on one level: `previous` is the value of the preceding ones on the same level. */
  repeats: boolean;
  parse(frame: Frame, previous?: NonNullable<V>): V;
  /** Without it, the child's value applies if it is set, otherwise the parent's. */
  merge?(parent: V | null, child: V | null): V | null;
}

// biome-ignore lint/suspicious/noExplicitAny: a table holds specs of any value type
export type Table = Record<string, Spec<any>>;
export type ConfOf<T extends Table> = { [K in keyof T]: T[K] extends Spec<infer V> ? V : never };

type Range = number | [number, number];

const range = (args: Range): { min: number; max: number } =>
  typeof args === 'number' ? { min: args, max: args } : { min: args[0], max: args[1] };

function simple<V>(contexts: number, fallback: V, defaultText: string, parse: (text: string, frame: Frame) => V): Spec<V> {
  return { contexts, min: 1, max: 1, block: false, defaultText, fallback, repeats: false, parse: (f) => parse(f.args[0], f) };
}

export function flag(contexts: number, fallback: boolean): Spec<boolean> {
  return simple(contexts, fallback, fallback ? 'on' : 'off', (text, f) => {
    const value = text.toLowerCase();
    if (value !== 'on' && value !== 'off') {
      f.fail(`invalid value "${text}" in "${f.node.name}" directive, it must be "on" or "off"`);
    }
    return value === 'on';
  });
}

/** A number of bytes. */
export function size(contexts: number, defaultText: string): Spec<number> {
  return simple(contexts, parseSize(defaultText) ?? -1, defaultText, (text, f) => parseSize(text) ?? f.refuse('invalid value'));
}

/** A number of bytes in files, which may exceed the size of memory. */
export function offset(contexts: number, defaultText: string): Spec<number> {
  return simple(contexts, parseOffset(defaultText) ?? -1, defaultText, (text, f) => parseOffset(text) ?? f.refuse('invalid value'));
}

/** A time in milliseconds. */
export function msec(contexts: number, defaultText: string): Spec<number> {
  return simple(contexts, parseTimeMs(defaultText) ?? -1, defaultText, (text, f) => parseTimeMs(text) ?? f.refuse('invalid value'));
}

/** A time in seconds. */
export function sec(contexts: number, defaultText: string): Spec<number> {
  return simple(contexts, parseTimeSec(defaultText) ?? -1, defaultText, (text, f) => parseTimeSec(text) ?? f.refuse('invalid value'));
}

export function num(contexts: number, fallback: number): Spec<number> {
  return simple(contexts, fallback, String(fallback), (text, f) => (/^\d{1,15}$/.test(text) ? Number(text) : f.refuse('invalid number')));
}

export function text(contexts: number, fallback: string): Spec<string> {
  return simple(contexts, fallback, fallback, (value) => value);
}

export function oneOf<const W extends string>(contexts: number, words: readonly W[], fallback: W): Spec<W> {
  return simple<W>(contexts, fallback, fallback, (value, f) => (words.includes(value as W) ? (value as W) : f.invalid()));
}

/** A set of words from a fixed list. */
export function wordsOf(contexts: number, words: readonly string[], fallback: readonly string[]): Spec<ReadonlySet<string>> {
  return {
    contexts,
    min: 1,
    max: ANY_COUNT,
    block: false,
    defaultText: fallback.join(' '),
    fallback: new Set(fallback),
    repeats: true,
    parse: (f, previous) => new Set([...(previous ?? []), ...f.args.map((word) => (words.includes(word) ? word : f.invalid(word)))]),
  };
}

/** `count size`, as in `proxy_buffers 8 4k`. */
export function buffers(contexts: number, defaultText: string): Spec<{ count: number; size: number }> {
  const parse = (args: string[]) => {
    const bytes = parseSize(args[1]);
    return /^[1-9]\d{0,8}$/.test(args[0]) && bytes ? { count: Number(args[0]), size: bytes } : undefined;
  };
  const fallback = present(parse(defaultText.split(' ')));
  return {
    contexts,
    min: 2,
    max: 2,
    block: false,
    defaultText,
    fallback,
    repeats: false,
    parse: (f) => parse(f.args) ?? f.refuse('invalid value'),
  };
}

/** A directive whose arguments `parse` reads itself. */
export function custom<V>(
  contexts: number,
  args: Range,
  fallback: V,
  parse: (frame: Frame, previous?: NonNullable<V>) => V,
  more: Partial<Pick<Spec<V>, 'repeats' | 'merge' | 'defaultText' | 'block'>> = {},
): Spec<V> {
  return { contexts, ...range(args), block: false, defaultText: '', repeats: false, fallback, parse, ...more };
}

/** A block directive. */
export function block<V>(contexts: number, args: Range, fallback: V, parse: (frame: Frame, previous?: NonNullable<V>) => V): Spec<V> {
  return { contexts, ...range(args), block: true, defaultText: '', repeats: true, fallback, parse };
}

/** A directive that is validated as `spec` but has no effect; a warning at start-up says so. @param elsewhere  nginx ignores it on this platform, too */
export function ineffective<V>(spec: Spec<V>, elsewhere?: 'elsewhere'): Spec<V> {
  return {
    ...spec,
    parse: (f, previous) => {
      const value = spec.parse(f, previous);
      f.scope.warn(
        elsewhere ? `"${f.node.name}" is not supported, ignored` : `the "${f.node.name}" directive has no effect in this server, ignored`,
      );
      return value;
    },
  };
}

/** A repeatable directive: `parse` replaces the previous value of the level or adds to it. */
export const again = <V>(spec: Spec<V>): Spec<V> => ({ ...spec, repeats: true });

/** `spec` with an additional check. @param check  returns an error in nginx's words, to follow `"NAME" directive` */
export function checked<V>(spec: Spec<V>, check: (value: V) => string | null): Spec<V> {
  return {
    ...spec,
    parse: (f, previous) => {
      const value = spec.parse(f, previous);
      const why = check(value);
      return why === null ? value : f.refuse(why);
    },
  };
}

/** As `checked`, for errors that nginx words differently. */
export function within<V>(spec: Spec<V>, check: (value: V) => string | null): Spec<V> {
  return {
    ...spec,
    parse: (f, previous) => {
      const value = spec.parse(f, previous);
      const why = check(value);
      return why === null ? value : f.fail(why);
    },
  };
}

/** Checks the number of arguments and the presence of a block. @throws ConfigError in nginx's words */
export function checkShape(spec: Spec<unknown>, node: DirectiveNode): void {
  if (spec.block && !node.children) failAt(node, `directive "${node.name}" has no opening "{"`);
  if (!spec.block && node.children) failAt(node, `directive "${node.name}" is not terminated by ";"`);
  if (node.args.length < spec.min || node.args.length > spec.max) {
    failAt(node, `invalid number of arguments in "${node.name}" directive`);
  }
}
