// Methods of strings, lists, maps and numbers that scripts may call, as in Java, and the static ones.
import { dateOfText, millisOf, zonedDateTime } from './dates.ts';
import { ENTRY_BYTES, spendBytes, spendSteps } from './script-budget.ts';
import { type Callable, Char, Double, type ScriptMap, type Value } from './syntax-tree.ts';
import { MAX_TEXT, spendText, textOf } from './values.ts';

type Method = (self: never, args: Value[]) => Value;

const text = textOf;

const STRING: Readonly<Record<string, (self: string, args: Value[]) => Value>> = {
  length: (self) => self.length,
  isEmpty: (self) => self.length === 0,
  toString: (self: string) => self,
  charAt: (self, [index]) => charAt(self, Number(index)),
  startsWith: (self, [prefix, from]) => self.startsWith(text(prefix), from === undefined ? 0 : Number(from)),
  endsWith: (self, [suffix]) => self.endsWith(text(suffix)),
  contains: (self, [part]) => self.includes(text(part)),
  equals: (self, [other]) => self === other,
  equalsIgnoreCase: (self, [other]) => typeof other === 'string' && self.toLowerCase() === other.toLowerCase(),
  indexOf: (self, [part, from]) => self.indexOf(text(part), from === undefined ? 0 : Number(from)),
  lastIndexOf: (self, [part]) => self.lastIndexOf(text(part)),
  substring: (self, [from, to]) => substring(self, Number(from), to === undefined ? self.length : Number(to)),
  subSequence: (self, [from, to]) => substring(self, Number(from), Number(to)),
  toLowerCase: (self) => built(self.length, () => self.toLowerCase()),
  toUpperCase: (self) => built(self.length, () => self.toUpperCase()),
  trim: (self) => self.replace(/^[\0-\x20]+|[\0-\x20]+$/g, ''),
  replace: (self, [from, to]) => replaceAll(self, text(from), text(to)),
  concat: (self, [other]) => built(self.length + text(other).length, () => self + text(other)),
  compareTo: (self, [other]) => compare(self, text(other)),
  hashCode: (self) => hashCode(self),
  codePointAt: (self, [index]) => self.codePointAt(Number(index)),
  repeat: (self, [count]) => (Number(count) >= 0 ? built(self.length * Number(count), () => self.repeat(Number(count))) : undefined),
  splitOnToken: (self, [token]) => splitOn(self, text(token)),
  chars: (self) => {
    spendBytes(self.length * ENTRY_BYTES);
    return Array.from({ length: self.length }, (_, i) => self.charCodeAt(i));
  },
};

const LIST: Readonly<Record<string, (self: Value[], args: Value[]) => Value>> = {
  size: (self) => self.length,
  length: (self) => self.length,
  isEmpty: (self) => self.length === 0,
  contains: (self, [item]) => self.includes(item),
  indexOf: (self, [item]) => self.indexOf(item),
  get: (self, [index]) => self[Number(index)],
  add: (self, [item, at]) => {
    spendBytes(ENTRY_BYTES);
    if (at === undefined) self.push(item);
    else self.splice(Number(item), 0, at);
    return true;
  },
  addAll: (self, [items]) => {
    if (!Array.isArray(items)) return undefined;
    const { length } = items;
    spendBytes(length * ENTRY_BYTES);
    for (let i = 0; i < length; i++) self.push(items[i]);
    return length > 0;
  },
  // As in Java's overloads, an int is an index and any other value an item.
  remove: (self, [item]) => {
    if (typeof item === 'number') return item in self ? self.splice(item, 1)[0] : undefined;
    const at = self.indexOf(item);
    if (at >= 0) self.splice(at, 1);
    return at >= 0;
  },
  set: (self, [index, item]) => (Number(index) in self ? self.splice(Number(index), 1, item)[0] : undefined),
  clear: (self) => {
    self.length = 0;
    return null;
  },
  sort: (self, [order]) => {
    const compareBy =
      order === undefined || order === null ? compareValues : (a: Value, b: Value) => Number((order as Callable).invoke([a, b]));
    spendSteps(self.length);
    self.sort(compareBy);
    return null;
  },
  removeIf: (self, [test]) => {
    const kept = self.filter((item) => (test as Callable).invoke([item]) !== true);
    const isChanged = kept.length < self.length;
    self.length = 0;
    for (const item of kept) self.push(item);
    return isChanged;
  },
  forEach: (self, [action]) => {
    for (const item of [...self]) (action as Callable).invoke([item]);
    return null;
  },
  sum: (self) => self.reduce((sum: Value, item) => new Double(num(sum) + num(item)), new Double(0)),
  join: (self, [separator]) => join(self, text(separator)),
};

const MAP: Readonly<Record<string, (self: ScriptMap, args: Value[]) => Value>> = {
  size: (self) => self.size,
  isEmpty: (self) => self.size === 0,
  get: (self, [key]) => self.get(text(key)) ?? null,
  getOrDefault: (self, [key, fallback]) => (self.has(text(key)) ? self.get(text(key)) : fallback),
  containsKey: (self, [key]) => self.has(text(key)),
  containsValue: (self, [value]) => [...self.values()].includes(value),
  put: (self, [key, value]) => replaced(self, text(key), () => self.set(text(key), value)),
  putIfAbsent: (self, [key, value]) => replaced(self, text(key), () => self.get(text(key)) ?? self.set(text(key), value)),
  putAll: (self, [other]) => {
    if (!(other instanceof Map)) return undefined;
    spendBytes(other.size * ENTRY_BYTES);
    for (const [key, value] of other) self.set(key, value);
    return null;
  },
  remove: (self, [key]) => replaced(self, text(key), () => self.delete(text(key))),
  keySet: (self) => listed(self, () => [...self.keys()]),
  entrySet: (self) => listed(self, () => [...self].map(([key, value]) => ({ fields: { key, value } }))),
  merge: (self, [key, value, combine]) => {
    const old = self.get(text(key)) ?? null;
    const next = old === null ? value : (combine as Callable).invoke([old, value]);
    spendBytes(ENTRY_BYTES);
    self.set(text(key), next);
    return next;
  },
  computeIfAbsent: (self, [key, make]) => {
    const name = text(key);
    spendBytes(ENTRY_BYTES);
    if ((self.get(name) ?? null) === null) self.set(name, (make as Callable).invoke([name]));
    return self.get(name) ?? null;
  },
  values: (self) => listed(self, () => [...self.values()]),
  clear: (self) => {
    self.clear();
    return null;
  },
};

/** Methods whose time does not depend on the size of the string or collection. */
const CONSTANT_TIME: ReadonlySet<string> = new Set([
  ...[
    'size',
    'length',
    'isEmpty',
    'get',
    'getOrDefault',
    'set',
    'add',
    'addAll',
    'put',
    'putIfAbsent',
    'containsKey',
    'merge',
    'computeIfAbsent',
  ],
  ...['charAt', 'codePointAt', 'substring', 'startsWith', 'endsWith', 'clear'],
]);

/** Steps of a method that reads the whole string or collection: a step is as long as reading 64 characters or 8 items. */
function workOn(value: Value): number {
  if (typeof value === 'string') return value.length >> 6;
  return Array.isArray(value) ? value.length >> 3 : value instanceof Map ? value.size >> 3 : 0;
}

/** A new string, counted before it is built. */
function built(length: number, make: () => string): string {
  spendText(length);
  return make();
}

/** A new list of the entries of a map, counted before it is built. */
function listed(map: ScriptMap, make: () => Value[]): Value[] {
  spendBytes(map.size * ENTRY_BYTES);
  return make();
}

function replaceAll(self: string, from: string, to: string): string {
  let count = from === '' ? self.length + 1 : 0;
  if (from !== '') for (let at = self.indexOf(from); at >= 0; at = self.indexOf(from, at + from.length)) count++;
  return built(self.length + count * (to.length - from.length), () => self.replaceAll(from, () => to));
}

function splitOn(self: string, token: string): string[] {
  const parts = self.split(token);
  spendBytes(self.length + parts.length * ENTRY_BYTES);
  return parts;
}

function join(items: readonly Value[], separator: string): string {
  spendSteps(items.length);
  let length = 0;
  const parts = items.map((item) => {
    const part = text(item);
    length += part.length + separator.length;
    if (length > MAX_TEXT) spendText(length);
    return part;
  });
  return built(length, () => parts.join(separator));
}

/** Java's hash of a string. */
function hashCode(self: string): number {
  let hash = 0;
  for (let i = 0; i < self.length; i++) hash = (Math.imul(hash, 31) + self.charCodeAt(i)) | 0;
  return hash;
}

/** Changes the map. @returns the value that `key` had before, null if it had none */
function replaced(map: ScriptMap, key: string, change: () => unknown): Value {
  spendBytes(ENTRY_BYTES + key.length);
  const before = map.get(key) ?? null;
  change();
  return before;
}

/** @returns undefined for an unknown method or an index out of bounds */
export function callMethod(self: Value, name: string, args: Value[]): Value {
  const table: Readonly<Record<string, Method>> | null =
    typeof self === 'string' ? STRING : Array.isArray(self) ? LIST : self instanceof Map ? MAP : null;
  if (table && Object.hasOwn(table, name)) {
    if (!CONSTANT_TIME.has(name)) spendSteps(workOn(self));
    return table[name](self as never, args);
  }
  if (typeof self === 'number' || typeof self === 'bigint' || self instanceof Double) {
    const number = num(self);
    if (name === 'intValue') return Math.trunc(number) | 0;
    if (name === 'longValue') return BigInt.asIntN(64, BigInt(Math.trunc(number)));
    if (name === 'doubleValue' || name === 'floatValue') return new Double(name === 'floatValue' ? Math.fround(number) : number);
    if (name === 'compareTo') return number < num(args[0]) ? -1 : number > num(args[0]) ? 1 : 0;
    if (name === 'equals') return number === num(args[0]);
  }
  if (name === 'equals') return self === args[0];
  if (name === 'toString') return textOf(self);
  return undefined;
}

const num = (value: Value): number => (value instanceof Char ? value.code : value instanceof Double ? value.value : Number(value));
const like = (result: number, ...from: Value[]): Value =>
  from.some((value) => value instanceof Double || !Number.isInteger(num(value))) ? new Double(result) : result;

/** Milliseconds of the units of ChronoUnit: `ChronoUnit.DAYS` is a constant with the method `between`. */
const UNITS: Readonly<Record<string, number>> = {
  MILLIS: 1,
  SECONDS: 1000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
  WEEKS: 604_800_000,
};

const STATIC: Readonly<Record<string, (args: Value[]) => Value>> = {
  'Math.abs': ([x]) => like(Math.abs(num(x)), x),
  'Math.min': ([a, b]) => like(Math.min(num(a), num(b)), a, b),
  'Math.max': ([a, b]) => like(Math.max(num(a), num(b)), a, b),
  'Math.floor': ([x]) => new Double(Math.floor(num(x))),
  'Math.ceil': ([x]) => new Double(Math.ceil(num(x))),
  'Math.round': ([x]) => BigInt(Math.floor(num(x) + 0.5)),
  'Math.sqrt': ([x]) => new Double(Math.sqrt(num(x))),
  'Math.pow': ([a, b]) => new Double(num(a) ** num(b)),
  'Math.log': ([x]) => new Double(Math.log(num(x))),
  'Math.log10': ([x]) => new Double(Math.log10(num(x))),
  'Math.cbrt': ([x]) => new Double(Math.cbrt(num(x))),
  'Math.sin': ([x]) => new Double(Math.sin(num(x))),
  'Math.cos': ([x]) => new Double(Math.cos(num(x))),
  'Math.tan': ([x]) => new Double(Math.tan(num(x))),
  'Math.atan2': ([a, b]) => new Double(Math.atan2(num(a), num(b))),
  'Math.hypot': ([a, b]) => new Double(Math.hypot(num(a), num(b))),
  'Math.log1p': ([x]) => new Double(Math.log1p(num(x))),
  'Math.signum': ([x]) => new Double(Math.sign(num(x))),
  'Math.toRadians': ([x]) => new Double((num(x) * Math.PI) / 180),
  'Math.floorMod': ([a, b]) => (num(b) === 0 ? undefined : ((num(a) % num(b)) + num(b)) % num(b)),
  'Integer.toString': ([x]) => text(x),
  'Integer.valueOf': ([x]) => (/^[+-]?\d{1,10}$/.test(text(x)) ? Number(text(x)) | 0 : undefined),
  'Long.toString': ([x]) => text(x),
  'Long.valueOf': ([x]) => (/^[+-]?\d{1,19}$/.test(text(x)) ? BigInt.asIntN(64, BigInt(text(x))) : undefined),
  'Double.toString': ([x]) => text(x),
  'Double.valueOf': ([x]) => (text(x).trim() === '' ? undefined : new Double(Number(text(x)))),
  'Double.isNaN': ([x]) => Number.isNaN(num(x)),
  'Double.compare': ([a, b]) => (num(a) < num(b) ? -1 : num(a) > num(b) ? 1 : 0),
  'Integer.compare': ([a, b]) => (num(a) < num(b) ? -1 : num(a) > num(b) ? 1 : 0),
  'Long.compare': ([a, b]) => (num(a) < num(b) ? -1 : num(a) > num(b) ? 1 : 0),
  'Boolean.parseBoolean': ([x]) => text(x).toLowerCase() === 'true',
  'String.join': ([separator, items]) => (Array.isArray(items) ? join(items, text(separator)) : undefined),
  'Objects.isNull': ([x]) => x === null,
  'Objects.nonNull': ([x]) => x !== null,
  'Collections.emptyList': () => [],
  'Collections.emptyMap': () => new Map(),
  'Collections.max': ([items]) => (Array.isArray(items) ? items.reduce((a, b) => (compareValues(a, b) >= 0 ? a : b)) : undefined),
  'Collections.min': ([items]) => (Array.isArray(items) ? items.reduce((a, b) => (compareValues(a, b) <= 0 ? a : b)) : undefined),
  'Collections.sort': ([items]) => (Array.isArray(items) ? LIST.sort(items, []) : undefined),
  'Arrays.asList': (args) => args,
  'Instant.ofEpochMilli': ([ms]) => zonedDateTime(num(ms)),
  'ZonedDateTime.parse': ([value]) => dateOfText(text(value)) ?? undefined,
  'Math.exp': ([x]) => new Double(Math.exp(num(x))),
  'Integer.parseInt': ([x]) => (/^[+-]?\d{1,10}$/.test(text(x)) ? Number(text(x)) | 0 : undefined),
  'Long.parseLong': ([x]) => (/^[+-]?\d{1,19}$/.test(text(x)) ? BigInt.asIntN(64, BigInt(text(x))) : undefined),
  'Double.parseDouble': ([x]) => (text(x).trim() === '' ? undefined : new Double(Number(text(x)))),
  'Character.isDigit': ([c]) => /^\p{Nd}$/u.test(text(c)),
  'Character.isLetter': ([c]) => /^\p{L}$/u.test(text(c)),
  'Character.isLetterOrDigit': ([c]) => /^[\p{L}\p{Nd}]$/u.test(text(c)),
  'Character.isUpperCase': ([c]) => /^\p{Uppercase}$/u.test(text(c)),
  'Character.isLowerCase': ([c]) => /^\p{Lowercase}$/u.test(text(c)),
  'Character.isWhitespace': ([c]) => /^\s$/.test(text(c)),
  'String.valueOf': ([x]) => text(x),
  'Objects.equals': ([a, b]) => a === b,
};
const CONSTANTS: Readonly<Record<string, Value>> = {
  'Math.PI': new Double(Math.PI),
  'Math.E': new Double(Math.E),
  'Integer.MAX_VALUE': 0x7fffffff,
  'Integer.MIN_VALUE': -0x80000000,
  'Long.MAX_VALUE': 2n ** 63n - 1n,
  'Long.MIN_VALUE': -(2n ** 63n),
  'Double.MAX_VALUE': new Double(Number.MAX_VALUE),
  'Double.MIN_VALUE': new Double(Number.MIN_VALUE),
  'Double.POSITIVE_INFINITY': new Double(Number.POSITIVE_INFINITY),
  'Double.NEGATIVE_INFINITY': new Double(Number.NEGATIVE_INFINITY),
  'Double.NaN': new Double(Number.NaN),
};

/** @param args  null for a constant @returns undefined for an unknown method or constant */
export function callStatic(type: string, name: string, args: Value[] | null): Value {
  const key = `${type}.${name}`;
  if (args === null && type === 'ChronoUnit') return chronoUnit(name);
  if (args === null) return CONSTANTS[key];
  return Object.hasOwn(STATIC, key) ? STATIC[key](args) : undefined;
}

function chronoUnit(name: string): Value {
  const size = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
  if (size === undefined) return undefined;
  return {
    fields: {},
    call: (method: string, args: Value[]) => {
      const [from, to] = args.map(millisOf);
      return method === 'between' && from !== null && to !== null ? BigInt(Math.trunc((to - from) / size)) : undefined;
    },
  };
}

function charAt(self: string, index: number): Value {
  return index >= 0 && index < self.length ? new Char(self.charCodeAt(index)) : undefined;
}

function substring(self: string, from: number, to: number): Value {
  return from < 0 || to > self.length || from > to ? undefined : self.slice(from, to);
}

function compare(a: string, b: string): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i);
  }
  return a.length - b.length;
}

/** Natural order of numbers and strings. */
function compareValues(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compare(a, b);
  return num(a) < num(b) ? -1 : num(a) > num(b) ? 1 : 0;
}

/** `new type(args)`. @returns undefined for a type that scripts cannot instantiate */
export function newInstance(type: string, args: readonly Value[]): Value {
  const [from] = args;
  spendBytes(ENTRY_BYTES * (1 + (Array.isArray(from) ? from.length : from instanceof Map ? from.size : 0)));
  switch (type) {
    case 'ArrayList':
    case 'LinkedList':
      return Array.isArray(from) ? [...from] : [];
    case 'HashSet':
    case 'TreeSet':
    case 'LinkedHashSet':
      return Array.isArray(from) ? [...new Set(from)] : [];
    case 'HashMap':
    case 'LinkedHashMap':
    case 'TreeMap':
      return new Map(from instanceof Map ? from : []);
    case 'IllegalArgumentException':
    case 'Exception':
    case 'RuntimeException':
      return text(from ?? '');
    default:
      return undefined;
  }
}
