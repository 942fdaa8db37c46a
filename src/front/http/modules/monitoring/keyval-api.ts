// keyvals of the api: shows and changes the entries of keyval zones, with the methods and status codes of nginx.
import type { BlockMain } from '../../model/types.ts';
import { type KeyvalZone, keyvalZones } from '../variables/keyval.ts';

const zoneOf = (main: BlockMain, name: string): KeyvalZone | undefined => keyvalZones(main).find((zone) => zone.name === name);

/** Entries of all zones, of one, or one entry; null if there is no such zone or key. */
export function showKeyvals(main: BlockMain, name: string | undefined, key: string | undefined): unknown {
  if (name === undefined) return Object.fromEntries(keyvalZones(main).map((zone) => [zone.name, zone.entries()]));
  const zone = zoneOf(main, name);
  if (!zone || (key !== undefined && !zone.has(key))) return null;
  return zone.entries(key);
}

interface Outcome {
  status: number;
  problem?: string;
}

/** POST adds an entry, PATCH changes or (null) deletes one, DELETE empties the zone. */
export function changeKeyvals(main: BlockMain, name: string, method: string, body: Record<string, unknown>): Outcome {
  const zone = zoneOf(main, name);
  if (!zone) return { status: 404, problem: 'keyval not found' };
  if (method === 'DELETE') {
    zone.clear();
    return { status: 204 };
  }
  if (method !== 'POST' && method !== 'PATCH') return { status: 405, problem: 'method disabled' };
  const entries = Object.entries(body);
  if (entries.length === 0 || (method === 'PATCH' && entries.length > 1))
    return { status: 400, problem: 'one key and its value must be given' };
  if (method === 'POST') {
    const known = entries.find(([key]) => zone.has(key));
    if (known) return { status: 409, problem: `key "${known[0]}" already exists` };
  } else if (!zone.has(entries[0][0])) return { status: 404, problem: `key "${entries[0][0]}" not found` };
  const changes = entries.map(([key, given]) => ({ key, ...readValue(key, given) }));
  for (const { key, value, expireMs } of changes) {
    if (value !== null) zone.set(key, value, expireMs);
    else if (method === 'PATCH') zone.delete(key);
  }
  return { status: method === 'POST' ? 201 : 204 };
}

/** A value, or `{ "value": ..., "expire": ms }`. @throws Error */
function readValue(key: string, given: unknown): { value: string | null; expireMs: number | undefined } {
  if (given === null || typeof given === 'string') return { value: given, expireMs: undefined };
  const { value, expire } = typeof given === 'object' ? (given as { value?: unknown; expire?: unknown }) : {};
  if (typeof value !== 'string') throw new Error(`value of key "${key}" must be a string`);
  if (expire !== undefined && (typeof expire !== 'number' || !(expire > 0)))
    throw new Error(`"expire" of key "${key}" must be a positive number`);
  return { value, expireMs: expire };
}
