// PREFIX_cache_*: the directives, and the cache of a location.
import { ANY_COUNT, custom, flag, HSL, HTTP, msec, num, offset, type Table, wordsOf } from '../../../config/directive.ts';
import { parseOffset, parseSize, parseTimeMs, parseTimeSec } from '../../../config/values.ts';
import type { HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { predicates } from '../conf.ts';
import type { CacheRequest } from './cache.ts';
import { purgeRule } from './cache-purge.ts';
import { FileCacheRequest } from './cache-request.ts';
import type { CacheRules, ValidRule } from './cache-rules.ts';
import { PACE, type Pace } from './cache-upkeep.ts';
import { CacheZone } from './cache-zone.ts';

/** Parses `loader_files=100`, `manager_sleep=50ms`... @returns false if it is not such a parameter */
function readPace(options: { loader: Pace; manager: Pace }, name: string, value: string): boolean {
  const m = /^(loader|manager)_(files|sleep|threshold)$/.exec(name);
  if (!m) return false;
  const pace = options[m[1] as 'loader' | 'manager'];
  if (m[2] === 'files') {
    if (!/^[1-9]\d{0,8}$/.test(value)) return false;
    pace.files = Number(value);
    return true;
  }
  const ms = parseTimeMs(value);
  if (ms === null) return false;
  if (m[2] === 'sleep') pace.sleepMs = ms;
  else pace.thresholdMs = ms;
  return true;
}

function parsePath(f: HttpFrame): undefined {
  const [folder, ...words] = f.args;
  const options = {
    path: f.scope.path(folder),
    levels: [] as number[],
    name: '',
    keysBytes: 0,
    inactiveSeconds: 600,
    maxSize: 0,
    minFree: 0,
    ownTemp: false,
    loader: { ...PACE },
    manager: { ...PACE },
  };
  for (const word of words) {
    const eq = word.indexOf('=');
    const name = word.slice(0, eq);
    const value = word.slice(eq + 1);
    if (name === 'levels') {
      if (!/^[12](:[12]){0,2}$/.test(value)) f.fail(`invalid "levels" "${word}"`);
      options.levels = value.split(':').map(Number);
    } else if (name === 'keys_zone') {
      const m = /^([^:]+):(.+)$/.exec(value);
      const bytes = m && parseSize(m[2]);
      if (!m || !bytes || bytes < 8192) f.fail(`invalid keys zone size "${word}"`);
      options.name = m[1];
      options.keysBytes = bytes;
    } else if (name === 'inactive') options.inactiveSeconds = parseTimeSec(value) ?? f.fail(`invalid inactive value "${word}"`);
    else if (name === 'max_size') options.maxSize = parseOffset(value) ?? f.fail(`invalid max_size value "${word}"`);
    else if (name === 'min_free') options.minFree = parseOffset(value) ?? f.fail(`invalid min_free value "${word}"`);
    else if (name === 'use_temp_path') options.ownTemp = value === 'off';
    else if (!readPace(options, name, value)) f.fail(`invalid parameter "${word}"`);
  }
  if (!options.name) f.fail(`"${f.node.name}" must have "keys_zone" parameter`);
  const key = `cache:${options.name}`;
  if (f.scope.main.registry.get(key) instanceof CacheZone) f.fail(`duplicate zone "${options.name}"`);
  f.scope.main.registry.set(key, new CacheZone(options));
  f.scope.main.folders.add(options.path);
  return undefined;
}

function parseValid(f: HttpFrame, previous: ValidRule[] = []): ValidRule[] {
  const words = [...f.args];
  const seconds = parseTimeSec(words.pop() ?? '') ?? f.fail(`invalid time value "${f.args.at(-1)}"`);
  const statuses =
    words.length === 0
      ? [200, 301, 302]
      : words.map((word) => (word === 'any' ? 0 : /^[1-5]\d\d$/.test(word) ? Number(word) : f.fail(`invalid status "${word}"`)));
  return [...previous, ...statuses.map((status) => ({ status, seconds }))];
}

const STALE_WORDS = 'error timeout invalid_header updating http_500 http_502 http_503 http_504 http_403 http_404 http_429 off'.split(' ');

export function cacheTable(prefix: string): Table {
  const p = `${prefix}_cache`;
  return {
    [p]: custom<{ value: Value } | 'off' | null>(HSL, 1, null, (f: HttpFrame) => {
      if (f.args[0] === 'off') return 'off';
      const value = f.scope.value(f.args[0]);
      const { main } = f.scope;
      if (value.constant !== null)
        f.scope.later(() => {
          if (!main.registry.has(`cache:${value.constant}`)) f.fail(`"${p}" zone "${value.constant}" is unknown`);
        });
      return { value };
    }),
    [`${p}_path`]: custom<undefined>(HTTP, [2, ANY_COUNT], undefined, parsePath, { repeats: true }),
    [`${p}_key`]: custom<Value | null>(HSL, 1, null, (f: HttpFrame) => f.scope.value(f.args[0])),
    [`${p}_valid`]: custom<ValidRule[] | null>(HSL, [1, ANY_COUNT], null, parseValid, { repeats: true }),
    [`${p}_min_uses`]: num(HSL, 1),
    [`${p}_use_stale`]: wordsOf(HSL, STALE_WORDS, []),
    [`${p}_methods`]: wordsOf(HSL, ['GET', 'HEAD', 'POST'], ['GET', 'HEAD']),
    [`${p}_lock`]: flag(HSL, false),
    [`${p}_lock_timeout`]: msec(HSL, '5s'),
    [`${p}_lock_age`]: msec(HSL, '5s'),
    [`${p}_revalidate`]: flag(HSL, false),
    [`${p}_bypass`]: predicates(),
    [`${p}_background_update`]: flag(HSL, false),
    [`${p}_max_range_offset`]: offset(HSL, ''),
    [`${p}_convert_head`]: flag(HSL, true),
    [`${p}_purge`]: purgeRule(),
    [`${prefix}_no_cache`]: predicates(),
  };
}

export interface CacheConf extends CacheRules {
  /** the zone that serves this request, if any */
  cacheOf(r: Request): CacheZone | null;
  /** use of the cache by a request; null if it does not use it */
  start(r: Request, defaultKey: () => string): CacheRequest | null;
}

export function readCacheConf(prefix: string, values: Record<string, unknown>): CacheConf {
  const get = <V>(name: string): V => values[`${prefix}_cache${name}`] as V;
  const cache = get<{ value: Value } | 'off' | null>('');
  const key = get<Value | null>('_key');
  const methods = get<ReadonlySet<string>>('_methods');
  const purge = get<Value[] | null>('_purge');
  const stale = get<ReadonlySet<string>>('_use_stale');
  const conf: CacheConf = {
    valid: get<ValidRule[] | null>('_valid') ?? [],
    minUses: get('_min_uses'),
    useStale: stale.has('off') ? new Set() : stale,
    lock: get('_lock'),
    lockTimeoutMs: get('_lock_timeout'),
    lockAgeMs: get('_lock_age'),
    revalidate: get('_revalidate'),
    backgroundUpdate: get('_background_update'),
    maxRangeOffset: get('_max_range_offset'),
    convertHead: get('_convert_head'),
    noCache: (values[`${prefix}_no_cache`] as Value[] | undefined) ?? null,
    bypass: get('_bypass'),
    cacheOf(r) {
      if (cache === null || cache === 'off') return null;
      if (!methods.has(r.method) && !(r.method === 'HEAD' && methods.has('GET'))) return null;
      const name = cache.value.eval(r);
      if (name === '' || name === 'off') return null;
      const zone = r.http.registry.get(`cache:${name}`) as CacheZone | undefined;
      if (!zone) r.log('error', `cache "${name}" not found`);
      return zone ?? null;
    },
    start(r, defaultKey) {
      const zone = conf.cacheOf(r);
      if (!zone) return null;
      // a HEAD that is not turned into a GET has an entry of its own only if the key says so
      return new FileCacheRequest(r, zone, () => (key ? key.eval(r) : defaultKey()), conf, purge);
    },
  };
  return conf;
}
