// Zones of limit_conn: they count connections, or requests in progress, by key, for all event loops together.
import { parseSize } from '../../../config/values.ts';
import { SharedTable } from '../../../zone/table.ts';
import type { BlockFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { BlockMain, Session } from '../../model/types.ts';

/** Levels at which refusals are logged. */
export const LIMIT_LEVELS = ['info', 'notice', 'warn', 'error'] as const;

const ENTRY_BYTES = 128;

/** `zone=NAME:SIZE` */
export function parseZoneArg(f: BlockFrame, word: string): { name: string; max: number } {
  const m = /^zone=([^:]+):(.+)$/.exec(word);
  const bytes = m && parseSize(m[2]);
  if (!m || bytes === null) f.fail(`invalid zone size "${word}"`);
  if (bytes < 8 * 4096) f.fail(`zone "${word}" is too small`);
  return { name: m[1], max: Math.floor(bytes / ENTRY_BYTES) };
}

class ConnZone {
  /** A record: number of requests being processed. */
  readonly table: SharedTable;

  /** @param name  of the memory that event loops share */
  constructor(
    name: string,
    readonly key: Value,
    max: number,
  ) {
    this.table = new SharedTable(name, max, 1, false);
  }

  /** @returns false if the limit is reached or the zone is full */
  enter(key: string, limit: number): boolean {
    const { table } = this;
    return table.locked(() => {
      const record = table.take(key);
      if (record < 0 || table.data[record] >= limit) return false;
      table.data[record]++;
      return true;
    });
  }

  leave(key: string): void {
    const { table } = this;
    table.locked(() => {
      const record = table.find(key);
      if (record >= 0 && --table.data[record] === 0) table.remove(record);
    });
  }
}

export interface ConnLimit {
  zone: string;
  limit: number;
}

export function parseConnZone(f: BlockFrame): undefined {
  const { registry, zonePrefix } = f.scope.main;
  const key = f.scope.value(f.args[0]);
  if (!f.args[1].startsWith('zone=')) f.fail(`invalid parameter "${f.args[1]}"`);
  const { name, max } = parseZoneArg(f, f.args[1]);
  const id = `limit_conn:${name}`;
  if (registry.has(id)) f.fail(`limit_conn_zone "${name}" is already bound to key "${key.source}"`);
  registry.set(id, new ConnZone(zonePrefix + id, key, max));
  return undefined;
}

export function parseConnLimit(f: BlockFrame, previous: ConnLimit[] = []): ConnLimit[] {
  if (!/^[1-9]\d{0,4}$/.test(f.args[1])) f.fail(`invalid number of connections "${f.args[1]}"`);
  if (Number(f.args[1]) > 65535) f.fail('connection limit must be less 65536');
  const { main } = f.scope;
  if (previous.some((other) => other.zone === f.args[0])) f.refuse('is duplicate');
  f.scope.later(() => {
    if (!main.registry.has(`limit_conn:${f.args[0]}`)) f.fail(`zero size shared memory zone "${f.args[0]}"`);
  });
  return [...previous, { zone: f.args[0], limit: Number(f.args[1]) }];
}

/** Result of counting a session in its zones. */
interface Entered {
  /** the zone that has no room; nothing is counted then */
  refusedBy: string | null;
  /** some zone applies: its key is not empty */
  counted: boolean;
  /** to be called when the session ends */
  release: (() => void)[];
}

export function enterZones(r: Session, { registry }: BlockMain, limits: readonly ConnLimit[]): Entered {
  const release: (() => void)[] = [];
  let counted = false;
  for (const { zone: name, limit } of limits) {
    const zone = registry.get(`limit_conn:${name}`) as ConnZone | undefined;
    const key = zone?.key.eval(r) ?? '';
    if (!zone || key === '') continue;
    counted = true;
    if (!zone.enter(key, limit)) {
      for (const leave of release) leave();
      return { refusedBy: name, counted, release: [] };
    }
    release.push(() => zone.leave(key));
  }
  return { refusedBy: null, counted, release };
}
