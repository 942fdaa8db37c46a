// Strings with variables: `$name`, `${name}`, `$1`; parsed once, evaluated per request.
import { capture } from '../../config/regex.ts';
import type { Evaluable, Session, VariableDef } from '../model/types.ts';

type Part = string | { variable: VariableDef } | { capture: number };

export class Value implements Evaluable {
  /** the whole string if it contains no variable */
  readonly constant: string | null;

  constructor(
    readonly source: string,
    readonly parts: Part[],
  ) {
    this.constant = parts.length === 0 ? '' : parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : null;
  }

  eval(r: Session): string {
    if (this.constant !== null) return this.constant;
    let out = '';
    for (const part of this.parts) {
      if (typeof part === 'string') out += part;
      else if ('variable' in part) out += r.variable(part.variable) ?? '';
      else out += capture(r.captures, part.capture) ?? '';
    }
    return out;
  }
}

const TOKEN = /\$(?:(\d)|\{(\w+)\}|(\w+))/g;

/** @throws string what is malformed, in nginx's words */
export function parseValue(source: string, lookup: (name: string) => VariableDef, withCaptures = true): Value {
  if (!source.includes('$')) return new Value(source, source === '' ? [] : [source]);
  const parts: Part[] = [];
  let pos = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match; match = TOKEN.exec(source)) {
    const before = source.slice(pos, match.index);
    if (before.includes('$')) throw 'invalid variable name';
    if (before) parts.push(before);
    pos = TOKEN.lastIndex;
    const name = match[2] ?? match[3];
    if (match[1] !== undefined && withCaptures) parts.push({ capture: Number(match[1]) });
    else if (name !== undefined && /^\d+$/.test(name) && withCaptures) parts.push({ capture: Number(name) });
    else parts.push({ variable: lookup(name ?? match[1]) });
  }
  const rest = source.slice(pos);
  if (rest.includes('$')) throw 'invalid variable name';
  if (rest) parts.push(rest);
  return new Value(source, parts);
}

/** Conditions are true unless they are empty or `0`. */
export const isTrue = (text: string): boolean => text !== '' && text !== '0';

/** True if any of the values is. */
export const anySet = (r: Session, values: readonly Value[] | null): boolean => values?.some((value) => isTrue(value.eval(r))) === true;
