// keyval_zone, keyval: variables looked up in zones of keys and values, which the api changes at run time.
//   keyval_zone zone=routes:1m state=routes.json timeout=1h type=ip;   keyval $remote_addr $route zone=routes;
// `type=ip` keys are addresses and networks (the narrowest network wins), `type=prefix` keys are beginnings (the longest wins). The zones are
// shared dictionaries, so all event loops and the workers after a reload see the same entries.
import { custom, HTTP } from '../../../config/directive.ts';
import { parseSize, parseTimeMs } from '../../../config/values.ts';
import { loop } from '../../../zone/memory.ts';
import { type BlockFrame, defineSharedModule } from '../../config/module.ts';
import { SharedDict, SharedDictFullError } from '../../js/shared-dict.ts';
import type { BlockMain } from '../../model/types.ts';
import { addressBytes, cidrContains, parseCidr } from './map.ts';

type KeyType = 'string' | 'ip' | 'prefix';
type Network = { bytes: number[]; bits: number };

const MIN_BYTES = 32 * 1024;
const KEY = 'keyval:';

/** Entries of one zone, found as its type says. */
export class KeyvalZone {
  readonly #dict: SharedDict;
  readonly #type: KeyType;
  #networks: { network: Network; value: string }[] = [];
  #lengths: number[] = [];
  #indexed = -1;

  constructor(
    readonly name: string,
    dict: SharedDict,
    type: KeyType,
  ) {
    this.#dict = dict;
    this.#type = type;
  }

  /** Value for what a variable was given, null if there is none. */
  find(subject: string): string | null {
    const dict = this.#dict;
    if (this.#type === 'string') return textOf(dict.get(subject));
    dict.catchUp();
    if (this.#indexed !== dict.revision) this.#index();
    return this.#type === 'ip' ? this.#byAddress(subject) : this.#byPrefix(subject);
  }

  #index(): void {
    const dict = this.#dict;
    const keys = dict.keys(Infinity);
    this.#indexed = dict.revision;
    if (this.#type === 'prefix') {
      this.#lengths = [...new Set(keys.map((key) => key.length))].sort((a, b) => b - a);
      return;
    }
    this.#networks = dict.items(Infinity).flatMap(([key, value]) => {
      const network = parseCidr(key);
      return network ? [{ network, value: String(value) }] : [];
    });
    this.#networks.sort((a, b) => b.network.bits - a.network.bits);
  }

  #byAddress(subject: string): string | null {
    const exact = textOf(this.#dict.get(subject));
    const bytes = exact === null ? addressBytes(subject) : null;
    // networks may have expired since they were indexed
    const found = bytes && this.#networks.find(({ network }) => cidrContains(network, bytes));
    return exact ?? found?.value ?? null;
  }

  #byPrefix(subject: string): string | null {
    for (const length of this.#lengths) {
      const value = length <= subject.length ? this.#dict.get(subject.slice(0, length)) : null;
      if (value !== undefined) return String(value);
    }
    return null;
  }

  has(key: string): boolean {
    return this.#dict.has(key);
  }

  /** All entries, or that of one key. */
  entries(key?: string): Record<string, string> {
    const list = key === undefined ? this.#dict.items(Infinity) : [[key, this.#dict.get(key)] as const];
    return Object.fromEntries(list.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
  }

  /** @param expireMs  lifetime instead of the zone's; only for zones with `timeout` @throws Error the key is invalid or the zone is full */
  set(key: string, value: string, expireMs: number | undefined): void {
    if (this.#type === 'ip' && !parseCidr(key)) throw new Error(`"${key}" is neither an address nor a network`);
    try {
      this.#dict.set(key, value, expireMs);
    } catch (error) {
      if (error instanceof SharedDictFullError) throw new Error(`keyval zone "${this.name}" is full`);
      throw error instanceof TypeError ? new Error(`"expire" needs a zone with "timeout", keyval zone "${this.name}" has none`) : error;
    }
  }

  delete(key: string): boolean {
    return this.#dict.delete(key);
  }

  clear(): void {
    this.#dict.clear();
  }

  load(): void {
    this.#dict.load();
  }

  saveNow(): void {
    this.#dict.saveNow();
  }

  exportState(): unknown {
    return this.#dict.exportState();
  }
}

const textOf = (value: string | number | undefined): string | null => (value === undefined ? null : String(value));

/** The zones of a block, by name. */
export const keyvalZones = (main: BlockMain): KeyvalZone[] =>
  [...main.registry.values()].filter((value): value is KeyvalZone => value instanceof KeyvalZone);

interface ZoneOptions {
  readonly name: string;
  readonly capacity: number;
  /** 0: entries do not expire */
  readonly timeoutMs: number;
  readonly type: 'string';
  readonly evict: boolean;
  readonly state: string;
}

/** Creates a zone, with the entries that it had before a reload. */
export function createZone(main: BlockMain, dict: ZoneOptions, type: KeyType): KeyvalZone {
  const key = `${KEY}${dict.name}`;
  const memory = new SharedDict({ ...dict, memory: `${main.zonePrefix}keyval:${dict.name}` });
  const before = main.inherited.get(key);
  if (before) memory.importState(before);
  const zone = new KeyvalZone(dict.name, memory, type);
  main.registry.set(key, zone);
  return zone;
}

/** The zone of that name, null if there is none. */
export const keyvalZone = (main: BlockMain, name: string): KeyvalZone | null =>
  (main.registry.get(`${KEY}${name}`) as KeyvalZone | undefined) ?? null;

function parseZone(f: BlockFrame): undefined {
  const { main } = f.scope;
  const dict = { name: '', capacity: 0, timeoutMs: 0, type: 'string' as const, evict: false, state: '' };
  let type: KeyType = 'string';
  for (const word of f.args) {
    const [name, value] = word.includes('=') ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word, ''];
    if (name === 'zone') {
      const m = /^([^:]+):(.+)$/.exec(value);
      const capacity = m && parseSize(m[2]);
      if (!m || !capacity) f.fail(`invalid zone size "${value}"`);
      if (capacity < MIN_BYTES) f.fail(`zone "${value}" is too small`);
      Object.assign(dict, { name: m[1], capacity });
    } else if (name === 'timeout') dict.timeoutMs = parseTimeMs(value) || f.fail(`invalid timeout value "${value}"`);
    else if (name === 'state' && value !== '') dict.state = f.scope.path(value);
    else if (name === 'type' && (value === 'string' || value === 'ip' || value === 'prefix')) type = value;
    else if (word === 'sync') f.fail('"sync" needs zone_sync, which is not supported by this server');
    else f.fail(`invalid parameter "${word}"`);
  }
  if (!dict.name) f.fail('"keyval_zone" must have "zone" parameter');
  if (main.registry.has(`${KEY}${dict.name}`)) f.fail(`duplicate keyval zone "${dict.name}"`);
  createZone(main, dict, type);
  return undefined;
}

function parseKeyval(f: BlockFrame): undefined {
  const [source, variable, zone] = f.args;
  const { main } = f.scope;
  if (!/^\$\w+$/.test(variable)) f.fail(`invalid variable name "${variable}"`);
  if (!/^zone=.+/.test(zone)) f.fail(`invalid parameter "${zone}"`);
  const value = f.scope.value(source);
  const key = `${KEY}${zone.slice(5)}`;
  f.scope.later(() => {
    if (!main.registry.has(key)) f.fail(`keyval zone "${zone.slice(5)}" is not defined`);
  });
  try {
    main.variables.define(variable.slice(1), {
      get: (r) => (main.registry.get(key) as KeyvalZone).find(value.eval(r)),
      volatile: true,
    });
  } catch (error) {
    f.fail(String(error));
  }
  return undefined;
}

export const keyvalModule = defineSharedModule(
  'keyval',
  {
    keyval_zone: custom<undefined>(HTTP, [1, 5], undefined, parseZone, { repeats: true }),
    keyval: custom<undefined>(HTTP, 3, undefined, parseKeyval, { repeats: true }),
  },
  {
    start(main) {
      const zones = keyvalZones(main);
      for (const zone of zones) if (!main.inherited.has(KEY + zone.name)) zone.load();
      if (loop.index === 0 && zones.length > 0) process.on('exit', () => zones.forEach((zone) => zone.saveNow()));
    },
  },
);
