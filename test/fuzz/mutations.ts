// Small changes of valid request bodies, and the errors that no request may cause.
import type { Rng } from '../support/rng.ts';

export type Json = Record<string, unknown>;

/** Unexpected errors, and errors that a request must not cause: also inside of answers to several searches or items. */
export const FAULT = /"(internal_error|kernel_exception|exception|corrupt_index_exception|translog_exception)"/;

/** Values that replace any part of a body. */
export const LEAVES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    2,
    3.5,
    1e308,
    -0.0,
    2147483648,
    2 ** 53,
    '',
    ' ',
    'x',
    '*',
    '_all',
    '0',
    '-1',
    '1.5',
    'NaN',
    'now/d',
    '1h',
  ],
  ...[
    'text',
    'tag',
    'n',
    'at',
    'ip',
    'place',
    'lines',
    'lines.qty',
    'span',
    'flat',
    '_id',
    '_index',
    '_score',
    'nope',
    'text.raw',
    'all',
    'x',
  ],
  ...['flag', [], {}, [[]], [null], [{}], ['a', 1], { a: 1 }, { query: {} }, { match_all: {} }, { field: 'n' }],
  ...['\ud800', 'é🙂', '__proto__', 'a'.repeat(5000)],
];

interface Place {
  readonly holder: any;
  readonly key: string | number;
}

/** Every place of a value that can be changed. */
export function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value);
  return keys.flatMap((key) => [{ holder: value, key }, ...placesOf((value as Record<string | number, unknown>)[key])]);
}

/**
 * Changes a body in up to `most` places.
 * @param donor  a body whose parts may be copied
 * @param leaves  more values to put in
 */
export function mutate(body: Json, donor: Json, rng: Rng, leaves: readonly unknown[] = LEAVES, most = 3): Json {
  const copy = structuredClone(body);
  for (let change = rng.int(0, most); change > 0; change--) {
    const places = placesOf(copy);
    if (places.length === 0) break;
    changeAt(rng.pick(places), donor, rng, leaves);
  }
  return copy;
}

function changeAt({ holder, key }: Place, donor: Json, rng: Rng, leaves: readonly unknown[]): void {
  switch (rng.int(0, 7)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      break;
    case 1:
      holder[key] = [holder[key]];
      break;
    case 2:
      holder[key] = { [rng.pick(['field', 'query', 'value', 'a', 'script', ''])]: holder[key] };
      break;
    case 3:
      if (!Array.isArray(holder)) holder[`${key}${rng.pick(['', 's', '.', ' ', '_'])}x`] = holder[key];
      break;
    case 4: {
      const places = placesOf(donor);
      if (places.length === 0) break;
      const { holder: other, key: at } = rng.pick(places);
      holder[key] = structuredClone(other[at]);
      break;
    }
    case 5:
      if (typeof holder[key] === 'number')
        holder[key] = rng.pick([-holder[key], holder[key] * 1e6, holder[key] + 0.5, String(holder[key])]);
      break;
    case 6:
      if (typeof holder[key] === 'string') holder[key] = scramble(holder[key], rng);
      break;
    default:
      holder[key] = structuredClone(rng.pick(leaves));
  }
}

export function scramble(text: string, rng: Rng): string {
  const at = rng.int(0, text.length);
  const piece = rng.pick(['', '(', ')', '"', '[', '{', '\\', '*', '~', '^', '/', ':', '||', 'AND', '\u0000', '9'.repeat(30)]);
  return text.slice(0, at) + piece + text.slice(at + rng.int(0, 2));
}
