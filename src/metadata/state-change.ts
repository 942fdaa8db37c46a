// What a command changed of the cluster state, so that threads exchange the change and not the state, which may have many megabytes. States share what
// they have in common, so differences are found by identity. Applying a change twice has the effect of applying it once.
import { isObject } from '../common/json/json-value.ts';
import type { ClusterState } from './cluster-state.ts';

/** A new value, or the entries of an object that are new, different or gone. */
export type Change =
  | { readonly value: unknown }
  | { readonly set: ReadonlyArray<readonly [name: string, change: Change]>; readonly removed: readonly string[] };

/** Levels that are compared: parts of the state, their entries by name, and the parts of an entry such as the settings of an index. */
const LEVELS = 3;

/** @returns null if both are the same */
export function changeOf(before: ClusterState, next: ClusterState): Change | null {
  return difference(before, next, LEVELS);
}

export function applyChange(state: ClusterState, change: Change): ClusterState {
  return applied(state, change) as ClusterState;
}

function difference(before: unknown, next: unknown, levels: number): Change | null {
  if (before === next) return null;
  if (levels === 0 || !isObject(before) || !isObject(next)) return { value: next };
  const set: [string, Change][] = [];
  for (const [name, value] of Object.entries(next)) {
    const change = Object.hasOwn(before, name) ? difference(before[name], value, levels - 1) : { value };
    if (change !== null) set.push([name, change]);
  }
  return { set, removed: Object.keys(before).filter((name) => !Object.hasOwn(next, name)) };
}

function applied(before: unknown, change: Change): unknown {
  if ('value' in change) return change.value;
  const entries = new Map<string, unknown>(Object.entries(isObject(before) ? before : {}));
  for (const name of change.removed) entries.delete(name);
  for (const [name, inner] of change.set) entries.set(name, applied(entries.get(name), inner));
  return Object.fromEntries(entries);
}
