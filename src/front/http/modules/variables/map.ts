// map, split_clients, geo: variables computed from other variables.

import { isIP } from 'node:net';
import path from 'node:path';
import { murmur2 } from '../../../../common/encoding/murmur2.ts';
import { present } from '../../../../common/present.ts';
import { block, HTTP, num } from '../../../config/directive.ts';
import type { Regex } from '../../../config/regex.ts';
import { type DirectiveNode, expandGlob, failAt, parseConfig } from '../../../config/syntax.ts';
import { compileRegex } from '../../config/compile-regex.ts';
import { type BlockFrame, defineSharedModule } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import { HttpMain, type Request } from '../../model/types.ts';
import { ipv6Bytes } from '../../request/address.ts';

function variableName(f: BlockFrame, word: string): string {
  if (!/^\$\w+$/.test(word)) f.fail(`invalid variable name "${word}"`);
  return word.slice(1);
}

function define(f: BlockFrame, word: string, get: (r: Request) => string | null, volatile: boolean): void {
  const name = variableName(f, word);
  try {
    f.scope.main.variables.define(name, { get, volatile });
  } catch (error) {
    f.fail(String(error));
  }
}

// ---------------------------------------------------------------- map

/** Keys with wildcards at either end. */
class HostNames {
  readonly exact = new Map<string, Value>();
  readonly #heads: { suffix: string; value: Value }[] = [];
  readonly #tails: { prefix: string; value: Value }[] = [];

  add(key: string, value: Value, hostnames: boolean): boolean {
    if (hostnames && key.startsWith('*.')) this.#heads.push({ suffix: key.slice(1), value });
    else if (hostnames && key.startsWith('.')) {
      this.exact.set(key.slice(1), value);
      this.#heads.push({ suffix: key, value });
    } else if (hostnames && key.endsWith('.*')) this.#tails.push({ prefix: key.slice(0, -1), value });
    else {
      if (this.exact.has(key)) return false;
      this.exact.set(key, value);
    }
    this.#heads.sort((a, b) => b.suffix.length - a.suffix.length);
    this.#tails.sort((a, b) => b.prefix.length - a.prefix.length);
    return true;
  }

  find(key: string): Value | null {
    const exact = this.exact.get(key);
    if (exact) return exact;
    for (const { suffix, value } of this.#heads) if (key.endsWith(suffix) && key.length > suffix.length) return value;
    for (const { prefix, value } of this.#tails) if (key.startsWith(prefix)) return value;
    return null;
  }
}

function parseMap(f: BlockFrame): undefined {
  const source = f.scope.value(f.args[0]);
  const names = new HostNames();
  const regexes: { regex: Regex; value: Value }[] = [];
  let fallback: Value | null = null;
  let hostnames = false;
  let volatile = false;
  for (const node of present(f.node.children)) {
    if (node.name === 'hostnames' && node.args.length === 0) hostnames = true;
    else if (node.name === 'volatile' && node.args.length === 0) volatile = true;
    else {
      if (node.args.length !== 1) failAt(node, 'invalid number of the map parameters');
      const inner: BlockFrame = { ...f, node, fail: (m) => failAt(node, m) };
      const value = f.scope.value(node.args[0]);
      let key = node.name;
      if (key === 'default') {
        if (fallback) failAt(node, 'duplicate default map parameter');
        fallback = value;
        continue;
      }
      if (key.startsWith('~')) {
        const ignoreCase = key.startsWith('~*');
        regexes.push({ regex: compileRegex(inner, key.slice(ignoreCase ? 2 : 1), ignoreCase), value });
        continue;
      }
      if (key.startsWith('\\')) key = key.slice(1);
      if (!names.add(key.toLowerCase(), value, hostnames)) failAt(node, `conflicting parameter "${node.name}"`);
    }
  }
  const get = (r: Request): string => {
    let key = source.eval(r);
    if (hostnames && key.endsWith('.')) key = key.slice(0, -1);
    const found = names.find(key.toLowerCase());
    if (found) return found.eval(r);
    for (const { regex, value } of regexes) {
      const captures = regex.exec(key);
      if (!captures) continue;
      r.setNamed(regex, captures);
      return value.eval(r);
    }
    return fallback?.eval(r) ?? '';
  };
  define(f, f.args[1], get, volatile);
  return undefined;
}

// ---------------------------------------------------------------- split_clients

function parseSplit(f: BlockFrame): undefined {
  const source = f.scope.value(f.args[0]);
  const parts: { until: number; value: string }[] = [];
  let sum = 0;
  let until = 0;
  for (const node of present(f.node.children)) {
    if (node.args.length !== 1) failAt(node, 'invalid number of parameters');
    // A literal string: variables are not expanded.
    const [value] = node.args;
    if (node.name === '*') {
      parts.push({ until: Infinity, value });
      continue;
    }
    const m = /^(\d{1,3}(?:\.\d{1,2})?)%$/.exec(node.name);
    if (!m || Number(m[1]) === 0) failAt(node, `invalid percent value "${node.name}"`);
    const share = Math.round(Number(m[1]) * 100);
    sum += share;
    if (sum > 10_000) failAt(node, 'percent total is greater than 100%');
    until += Math.floor((share * 0xffffffff) / 10_000);
    parts.push({ until, value });
  }
  const get = (r: Request): string => {
    const hash = murmur2(source.eval(r));
    return parts.find((part) => hash < part.until)?.value ?? '';
  };
  define(f, f.args[1], get, false);
  return undefined;
}

// ---------------------------------------------------------------- geo

/** A binary trie of network prefixes: the longest match wins. */
class Trie {
  readonly #zero: number[] = [0];
  readonly #one: number[] = [0];
  readonly #values: (string | null)[] = [null];

  set(bytes: readonly number[], bits: number, value: string | null): void {
    let node = 0;
    for (let n = 0; n < bits; n++) {
      const side = (bytes[n >> 3] >> (7 - (n & 7))) & 1 ? this.#one : this.#zero;
      if (!side[node]) {
        side[node] = this.#values.length;
        this.#zero.push(0);
        this.#one.push(0);
        this.#values.push(null);
      }
      node = side[node];
    }
    this.#values[node] = value;
  }

  find(bytes: readonly number[]): string | null {
    let node = 0;
    let best = this.#values[0];
    for (let n = 0; n < bytes.length * 8; n++) {
      node = ((bytes[n >> 3] >> (7 - (n & 7))) & 1 ? this.#one : this.#zero)[node];
      if (!node) break;
      if (this.#values[node] !== null) best = this.#values[node];
    }
    return best ?? null;
  }
}

const v4 = (text: string): number[] => text.split('.').map(Number);
const v4Number = (text: string): number => v4(text).reduce((n, b) => n * 256 + b, 0);

/** What remains of a range after removing from..to. */
function carve<R extends { from: number; to: number }>(range: R, from: number, to: number): R[] {
  if (to < range.from || from > range.to) return [range];
  const out: R[] = [];
  if (range.from < from) out.push({ ...range, to: from - 1 });
  if (range.to > to) out.push({ ...range, from: to + 1 });
  return out;
}

interface Geo {
  trie4: Trie;
  trie6: Trie;
  ranges: { from: number; to: number; value: string }[];
  /** a network or the default was read before `ranges` */
  hasNetworks: boolean;
  useRanges: boolean;
  fallback: string;
  proxies: { bytes: number[]; bits: number }[];
  recursive: boolean;
}

/** `1.2.3.0/24`, `1.2.3.4`, `::/0` */
export function parseCidr(text: string): { bytes: number[]; bits: number } | null {
  const [address, length] = text.split('/');
  const family = isIP(address);
  if (family === 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return null;
  const bytes = family === 4 ? v4(address) : ipv6Bytes(address);
  const bits = length === undefined ? bytes.length * 8 : Number(length);
  return bits > bytes.length * 8 ? null : { bytes, bits };
}

export function cidrContains(cidr: { bytes: number[]; bits: number }, address: readonly number[]): boolean {
  if (cidr.bytes.length !== address.length) return false;
  for (let n = 0; n < cidr.bits; n++) {
    const mask = 128 >> (n & 7);
    if ((cidr.bytes[n >> 3] & mask) !== (address[n >> 3] & mask)) return false;
  }
  return true;
}

/** Bytes of an address; IPv4-mapped addresses become IPv4; null if it is not an address. */
export function addressBytes(text: string): number[] | null {
  const family = isIP(text);
  if (family === 4) return v4(text);
  // a zone (`%eth0`) has no place among addresses of networks
  if (family !== 6 || text.includes('%')) return null;
  const bytes = ipv6Bytes(text);
  return bytes.slice(0, 10).every((b) => b === 0) && bytes[10] === 255 && bytes[11] === 255 ? bytes.slice(12) : bytes;
}

function readGeo(f: BlockFrame, nodes: readonly DirectiveNode[], geo: Geo): void {
  // elsewhere there is no X-Forwarded-For, and `proxy` is no parameter
  const readsHeaders = f.scope.main instanceof HttpMain;
  for (const node of nodes) {
    const fail = (m: string): never => failAt(node, m);
    if (node.name === 'ranges' && node.args.length === 0) {
      if (geo.hasNetworks) fail('the "ranges" directive must be the first directive inside "geo" block');
      geo.useRanges = true;
      continue;
    }
    if (node.name === 'proxy_recursive' && node.args.length === 0 && readsHeaders) {
      geo.recursive = true;
      continue;
    }
    if (node.args.length !== 1) fail('invalid number of the geo parameters');
    const [value] = node.args;
    if (node.name === 'include') {
      for (const file of expandGlob(path.resolve(f.scope.main.paths.conf, value)))
        readGeo(f, parseConfig(file, f.scope.main.paths.conf).nodes, geo);
    } else if (node.name === 'proxy' && readsHeaders) {
      const cidr = parseCidr(value);
      if (cidr) geo.proxies.push(cidr);
      else if (value !== 'unix:') fail(`invalid network "${value}"`);
    } else addGeo(node, value, geo, fail);
  }
}

function addGeo(node: DirectiveNode, value: string, geo: Geo, fail: (m: string) => never): void {
  const { name } = node;
  geo.hasNetworks ||= !geo.useRanges;
  if (name === 'default') {
    geo.fallback = value;
    if (!geo.useRanges) {
      geo.trie4.set([], 0, value);
      geo.trie6.set([], 0, value);
    }
    return;
  }
  const remove = name === 'delete';
  const text = remove ? value : name;
  if (geo.useRanges) {
    const m = /^([\d.]+)-([\d.]+)$/.exec(text);
    if (!m || isIP(m[1]) !== 4 || isIP(m[2]) !== 4) fail(`invalid range "${text}"`);
    const from = v4Number(m[1]);
    const to = v4Number(m[2]);
    if (from > to) fail(`invalid range "${text}"`);
    if (remove) {
      geo.ranges = geo.ranges.flatMap((r) => carve(r, from, to));
      return;
    }
    geo.ranges.push({ from, to, value });
    return;
  }
  const cidr = text === '255.255.255.255' ? { bytes: [255, 255, 255, 255], bits: 32 } : parseCidr(text);
  if (!cidr) fail(`invalid network "${text}"`);
  (cidr.bytes.length === 4 ? geo.trie4 : geo.trie6).set(cidr.bytes, cidr.bits, remove ? null : value);
}

function parseGeo(f: BlockFrame): undefined {
  const source = f.args.length === 2 ? f.scope.main.variables.lookup(variableName(f, f.args[0])) : null;
  const geo: Geo = {
    trie4: new Trie(),
    trie6: new Trie(),
    ranges: [],
    useRanges: false,
    hasNetworks: false,
    fallback: '',
    proxies: [],
    recursive: false,
  };
  let volatile = false;
  const nodes = present(f.node.children).filter((node) => {
    if (node.name !== 'volatile' || node.args.length > 0) return true;
    volatile = true;
    return false;
  });
  readGeo(f, nodes, geo);
  const get = (r: Request): string => {
    const text = source ? (r.variable(source) ?? '') : r.conn.remoteAddr;
    let bytes = addressBytes(text);
    if (!source && bytes) bytes = addressBytes(clientBehind(r, text, geo.proxies, geo.recursive)) ?? bytes;
    if (!bytes) bytes = geo.useRanges || !text.startsWith('unix:') ? [255, 255, 255, 255] : [255, 255, 255, 255];
    if (!geo.useRanges) return (bytes.length === 4 ? geo.trie4 : geo.trie6).find(bytes) ?? '';
    if (bytes.length !== 4) return geo.fallback;
    const number = bytes.reduce((n, b) => n * 256 + b, 0);
    let found = geo.fallback;
    let width = Infinity;
    for (const range of geo.ranges) {
      if (number < range.from || number > range.to || range.to - range.from > width) continue;
      found = range.value;
      width = range.to - range.from;
    }
    return found;
  };
  define(f, present(f.args.at(-1)), get, volatile);
  return undefined;
}

/** The client's address according to trusted proxies (X-Forwarded-For). */
export function clientBehind(
  r: Request,
  address: string,
  trusted: readonly { bytes: number[]; bits: number }[],
  recursive: boolean,
): string {
  if (trusted.length === 0) return address;
  const list = r.headersIn.filter((h) => h.lname === 'x-forwarded-for').flatMap((h) => h.value.split(/[ ,]+/).filter((a) => a !== ''));
  return forwardedAddress(address, list, trusted, recursive);
}

/** Walks back through trusted proxies. */
export function forwardedAddress(
  address: string,
  list: string[],
  trusted: readonly { bytes: number[]; bits: number }[],
  recursive: boolean,
): string {
  let current = address;
  for (let n = list.length - 1; n >= 0; n--) {
    const bytes = addressBytes(current);
    if (!bytes || !trusted.some((cidr) => cidrContains(cidr, bytes))) break;
    const next = addressBytes(list[n]);
    if (!next) break;
    current = list[n];
    if (!recursive) break;
  }
  return current;
}

const table = {
  map: block<undefined>(HTTP, 2, undefined, parseMap),
  map_hash_max_size: num(HTTP, 2048),
  map_hash_bucket_size: num(HTTP, 64),
  split_clients: block<undefined>(HTTP, 2, undefined, parseSplit),
  geo: block<undefined>(HTTP, [1, 2], undefined, parseGeo),
};

export const mapModule = defineSharedModule('map', table);
