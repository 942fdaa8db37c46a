// limit_req and limit_conn. Zones count by key, for all event loops together, and are handed over to the workers of the next configuration.
import { custom, flag, HSL, HTTP, num, oneOf, within } from '../../../config/directive.ts';
import type { Level } from '../../../log/error-log.ts';
import { loop } from '../../../zone/memory.ts';
import { SharedTable } from '../../../zone/table.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { HttpMain, Request } from '../../model/types.ts';
import { runPhases } from '../../phases/phases.ts';
import { AGAIN, DECLINED } from '../../request/codes.ts';
import { type ConnLimit, enterZones, LIMIT_LEVELS, parseConnLimit, parseConnZone, parseZoneArg } from './conn-zones.ts';

// ---------------------------------------------------------------- limit_req

/** A record: excess (thousandths of a request), time of the last request (ms). */
const [EXCESS, LAST, RATE_FIELDS] = [0, 1, 2];

class RateZone {
  readonly table: SharedTable;
  constructor(
    name: string,
    readonly key: Value,
    /** Requests per 1000 s. */
    readonly rate: number,
    max: number,
  ) {
    this.table = new SharedTable(`limit_req:${name}`, max, RATE_FIELDS);
  }
  exportState(): unknown {
    return { key: this.key.source, table: this.table.exportState() };
  }
  /** The counts of a zone with another key are discarded. */
  importState(state: { key: string; table: Uint8Array }): void {
    if (state.key === this.key.source) this.table.importState(state.table);
  }
}

interface RateLimit {
  zone: string;
  /** In thousandths of a request. */
  burst: number;
  delay: number;
}

function parseReqZone(f: HttpFrame): undefined {
  const key = f.scope.value(f.args[0]);
  let zone: { name: string; max: number } | null = null;
  let rate = 1000;
  for (const word of f.args.slice(1)) {
    if (word.startsWith('zone=')) zone = parseZoneArg(f, word);
    else if (word.startsWith('rate=')) {
      const m = /^rate=(\d+)r\/([sm])$/.exec(word);
      if (!m || Number(m[1]) === 0) f.fail(`invalid rate "${word}"`);
      rate = m[2] === 's' ? Number(m[1]) * 1000 : Math.floor((Number(m[1]) * 1000) / 60);
    } else f.fail(`invalid parameter "${word}"`);
  }
  if (!zone) f.fail('"limit_req_zone" must have "zone" parameter');
  const id = `limit_req:${zone.name}`;
  if (f.scope.main.registry.has(id)) f.fail(`limit_req_zone "${zone.name}" is already bound to key "${key.source}"`);
  const made = new RateZone(zone.name, key, rate, zone.max);
  const before = f.scope.main.inherited.get(id) as { key: string; table: Uint8Array } | undefined;
  if (before && loop.index === 0) made.importState(before);
  f.scope.main.registry.set(id, made);
  return undefined;
}

function parseReq(f: HttpFrame, previous: RateLimit[] = []): RateLimit[] {
  let zone = '';
  let burst = 0;
  let delay = 0;
  const number = (text: string, word: string) => (/^\d+$/.test(text) ? Number(text) : f.fail(`invalid parameter "${word}"`));
  for (const word of f.args) {
    if (word.startsWith('zone=')) zone = word.slice(5);
    else if (word.startsWith('burst=')) burst = number(word.slice(6), word) * 1000;
    else if (word.startsWith('delay=')) delay = number(word.slice(6), word) * 1000;
    else if (word === 'nodelay') delay = Infinity;
    else f.fail(`invalid parameter "${word}"`);
  }
  if (!zone) f.fail('"limit_req" must have "zone" parameter');
  if (previous.some((l) => l.zone === zone)) f.fail('"limit_req" directive is duplicate');
  return [...previous, { zone, burst, delay }];
}

/** Status of a refused request. */
const statusOf = () => within(num(HSL, 503), (status) => (status < 400 || status > 599 ? 'value must be between 400 and 599' : null));

export const limitReqModule = defineModule(
  'limit_req',
  {
    limit_req_zone: custom<undefined>(HTTP, 3, undefined, parseReqZone, { repeats: true }),
    limit_req: custom<RateLimit[] | null>(HSL, [1, 3], null, parseReq, { repeats: true }),
    limit_req_log_level: oneOf(HSL, LIMIT_LEVELS, 'error'),
    limit_req_status: statusOf(),
    limit_req_dry_run: flag(HSL, false),
  },
  {
    init(main) {
      checkZones(main);
      main.phases.preaccess.push(limitReq);
    },
    variables: [{ name: 'limit_req_status', get: (r): string | null => r.getMainCtx<string>(limitReqModule) ?? null }],
  },
);

function checkZones(main: HttpMain): void {
  const visit = (loc: HttpMain['loc']) => {
    for (const limit of limitReqModule.conf(loc).limit_req ?? []) {
      if (!main.registry.has(`limit_req:${limit.zone}`)) throw `zero size shared memory zone "${limit.zone}"`;
    }
    for (const child of loc.children) visit(child);
  };
  for (const server of main.servers) visit(server.root);
}

/** Result of a request in one zone, to be applied if all zones admit it. */
interface Charge {
  zone: RateZone;
  key: string;
  excess: number;
}

function limitReq(r: Request): number {
  const c = limitReqModule.conf(r.loc);
  if (!c.limit_req || r.isSub || r.getMainCtx(limitReqModule) !== null) return DECLINED;
  const now = Date.now();
  let delayMs = 0;
  let excess = 0;
  let zoneName = '';
  const charges: Charge[] = [];
  for (const limit of c.limit_req) {
    const zone = r.http.registry.get(`limit_req:${limit.zone}`) as RateZone;
    const key = zone.key.eval(r);
    if (key === '') continue;
    // A single limit is checked and charged in one step; of several, none is charged unless all admit the request.
    excess = charge(zone, key, now, limit.burst, c.limit_req.length === 1);
    zoneName = limit.zone;
    if (excess > limit.burst) return reject(r, c, excess, limit.zone);
    charges.push({ zone, key, excess });
    if (excess > limit.delay) delayMs = Math.max(delayMs, Math.floor(((excess - limit.delay) * 1000) / zone.rate));
  }
  if (charges.length === 0) return DECLINED;
  if (c.limit_req.length > 1) for (const { zone, key } of charges) charge(zone, key, now, Infinity, true);
  if (delayMs === 0) {
    r.setMainCtx(limitReqModule, 'PASSED');
    return DECLINED;
  }
  const level = lower(c.limit_req_log_level);
  const text = `excess: ${(excess / 1000).toFixed(3)}, by zone "${zoneName}"`;
  if (c.limit_req_dry_run) {
    r.log(level, `delaying request, dry run, ${text}`);
    r.setMainCtx(limitReqModule, 'DELAYED_DRY_RUN');
    return DECLINED;
  }
  r.log(level, `delaying request, ${text}`);
  r.setMainCtx(limitReqModule, 'DELAYED');
  const timer = setTimeout(() => {
    r.onAbort = null;
    if (r.done) return;
    r.phaseIndex++;
    runPhases(r);
  }, delayMs);
  r.cleanups.push(() => clearTimeout(timer));
  r.onAbort = () => {
    clearTimeout(timer);
    r.finalize(499);
  };
  return AGAIN;
}

/** Delays are logged one level below refusals. */
const lower = (level: (typeof LIMIT_LEVELS)[number]): Level => (level === 'error' ? 'warn' : level === 'warn' ? 'notice' : 'info');

function reject(r: Request, c: ReturnType<typeof limitReqModule.conf>, excess: number, zone: string): number {
  r.log(
    c.limit_req_log_level,
    `limiting requests${c.limit_req_dry_run ? ', dry run' : ''}, excess: ${(excess / 1000).toFixed(3)} by zone "${zone}"`,
  );
  if (c.limit_req_dry_run) {
    r.setMainCtx(limitReqModule, 'REJECTED_DRY_RUN');
    return DECLINED;
  }
  r.setMainCtx(limitReqModule, 'REJECTED');
  return c.limit_req_status;
}

/** @returns the excess over the rate in thousandths of a request, recorded if `keep` and within `burst` */
function charge({ table, rate }: RateZone, key: string, now: number, burst: number, keep: boolean): number {
  return table.locked(() => {
    const known = table.find(key);
    const { data } = table;
    let excess = 0;
    if (known >= 0) {
      const ms = Math.max(0, now - data[known * RATE_FIELDS + LAST]);
      excess = Math.max(0, data[known * RATE_FIELDS + EXCESS] - (rate * ms) / 1000 + 1000);
    }
    if (!keep || excess > burst) return excess;
    const at = (known >= 0 ? known : table.take(key)) * RATE_FIELDS;
    data[at + EXCESS] = excess;
    data[at + LAST] = now;
    return excess;
  });
}

// ---------------------------------------------------------------- limit_conn

export const limitConnModule = defineModule(
  'limit_conn',
  {
    limit_conn_zone: custom<undefined>(HTTP, 2, undefined, parseConnZone, { repeats: true }),
    limit_conn: custom<ConnLimit[] | null>(HSL, 2, null, parseConnLimit, { repeats: true }),
    limit_conn_log_level: oneOf(HSL, LIMIT_LEVELS, 'error'),
    limit_conn_status: statusOf(),
    limit_conn_dry_run: flag(HSL, false),
  },
  {
    init(main) {
      main.phases.preaccess.push(limitConn);
    },
    variables: [{ name: 'limit_conn_status', get: (r): string | null => r.getMainCtx<string>(limitConnModule) ?? null }],
  },
);

function limitConn(r: Request): number {
  const c = limitConnModule.conf(r.loc);
  if (!c.limit_conn || r.isSub || r.getMainCtx(limitConnModule) !== null) return DECLINED;
  const { refusedBy, counted, release } = enterZones(r, r.http, c.limit_conn);
  if (counted) r.setMainCtx(limitConnModule, 'PASSED');
  if (refusedBy === null) {
    r.cleanups.push(...release);
    return DECLINED;
  }
  r.log(c.limit_conn_log_level, `limiting connections${c.limit_conn_dry_run ? ', dry run,' : ''} by zone "${refusedBy}"`);
  r.setMainCtx(limitConnModule, c.limit_conn_dry_run ? 'REJECTED_DRY_RUN' : 'REJECTED');
  return c.limit_conn_dry_run ? DECLINED : c.limit_conn_status;
}
