// Extreme forms of a JSON body: every value in it becomes huge, negative, long, deep or numerous, one at a time.

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An extreme form of a body: what was changed, and the body as text. */
export interface Extreme {
  readonly name: string;
  readonly body: () => string;
}

const COUNT = 100_000;
const KEYS = 20_000;
const DEPTH = 2000;
/** Marks the place whose text is filled in afterwards: values beyond a million elements are never built as objects. */
const MARK = '\u0001here\u0001';

const NUMBERS: Readonly<Record<string, string>> = {
  'minus one': '-1',
  zero: '0',
  'largest int': '2147483647',
  'beyond long': '1e18',
  'largest double': '1.7e308',
};

const STRINGS: Readonly<Record<string, () => string>> = {
  'one long word': () => 'a'.repeat(1_000_000),
  'many words': () => 'w1 '.repeat(100_000),
  'open parentheses': () => '('.repeat(100_000),
  'repeated groups': () => '(a|[a-z0-9]{0,60}){0,300}',
  'many stars': () => 'a*'.repeat(400),
  'many commas': () => '2,'.repeat(100_000),
};

/** All extreme forms of `sample`. `wrap` makes the request body of the text of a sample. */
export function* extremesOf(sample: Json, wrap: (text: string) => string): Generator<Extreme> {
  for (const { path, value } of placesIn(sample, [])) {
    for (const [name, text] of replacementsOf(value)) {
      yield {
        name: `${path.join('.') || '(all)'}: ${name}`,
        body: () => wrap(JSON.stringify(replaced(sample, path)).replace(JSON.stringify(MARK), () => text())),
      };
    }
  }
}

/** Extreme values of the kind of `value`, as JSON. */
function* replacementsOf(value: Json): Generator<[string, () => string]> {
  if (typeof value === 'number') for (const [name, text] of Object.entries(NUMBERS)) yield [name, () => text];
  if (typeof value === 'string') for (const [name, text] of Object.entries(STRINGS)) yield [name, () => JSON.stringify(text())];
  if (Array.isArray(value) && value.length > 0) {
    const item = JSON.stringify(value[0]);
    yield [`${COUNT} items`, () => `[${`${item},`.repeat(COUNT - 1)}${item}]`];
    yield [`${DEPTH} brackets`, () => '['.repeat(DEPTH) + item + ']'.repeat(DEPTH)];
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const [[key, item] = ['x', 1]] = Object.entries(value);
    const first = JSON.stringify(item);
    yield [`${KEYS} keys`, () => `{${Array.from({ length: KEYS }, (_, i) => `"${key}${i || ''}":${first}`).join()}}`];
    yield [`${COUNT} of them`, () => `[${Array(COUNT).fill(JSON.stringify(value)).join()}]`];
    yield [`depth ${DEPTH}`, () => `{${JSON.stringify(key)}:`.repeat(DEPTH) + first + '}'.repeat(DEPTH)];
  }
}

/** Every value of a tree, from the root. */
function* placesIn(value: Json, path: readonly string[]): Generator<{ path: readonly string[]; value: Json }> {
  yield { path, value };
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) yield* placesIn(inner, [...path, key]);
}

function replaced(value: Json, path: readonly string[]): Json {
  if (path.length === 0) return MARK;
  const [key, ...rest] = path;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? replaced(item, rest) : item));
  const object = value as { [key: string]: Json };
  return { ...object, [key]: replaced(object[key], rest) };
}
