// Indices as the page shows them: rows of the list, mappings as trees, changes of settings. Independent of the page's components.
import type { MappingProperties } from '../mapping-types.ts';

export interface IndexRow {
  readonly name: string;
  readonly health: string;
  readonly status: string;
  readonly shards: number;
  readonly replicas: number;
  readonly documents: number;
  readonly deleted: number;
  readonly bytes: number;
}

/** Rows of `_cat/indices?format=json&bytes=b`. */
export function indexRows(rows: ReadonlyArray<Readonly<Record<string, string | null>>>): IndexRow[] {
  return rows.map((row) => ({
    name: row.index ?? '',
    health: row.health ?? '',
    status: row.status ?? '',
    shards: Number(row.pri ?? 0),
    replicas: Number(row.rep ?? 0),
    documents: Number(row['docs.count'] ?? 0),
    deleted: Number(row['docs.deleted'] ?? 0),
    bytes: Number(row['store.size'] ?? 0),
  }));
}

export interface FieldNode {
  readonly name: string;
  /** With the names of the objects and fields that contain it: `author.name.raw`. */
  readonly path: string;
  readonly type: string;
  /** Short description of the parameters other than the type. */
  readonly params: string;
  readonly isMultiField: boolean;
  readonly children: readonly FieldNode[];
}

/** A mapping as a tree: properties of objects, then multi-fields. */
export function fieldTree(properties: MappingProperties, isMultiField = false, prefix = ''): FieldNode[] {
  return Object.entries(properties).map(([name, { type, properties: inner, fields, ...params }]) => ({
    name,
    path: prefix + name,
    type: type ?? 'object',
    params: Object.entries(params)
      .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
    isMultiField,
    children: [...fieldTree(inner ?? {}, false, `${prefix}${name}.`), ...fieldTree(fields ?? {}, true, `${prefix}${name}.`)],
  }));
}

/** Number of fields, including those of objects and multi-fields. */
export const fieldCount = (nodes: readonly FieldNode[]): number => nodes.reduce((sum, { children }) => sum + 1 + fieldCount(children), 0);

const MAX_COUNTED = 300;

/** Paths of fields whose documents a search counts: neither objects nor what nested documents contain, and not more than a request should have. */
export function countableFields(nodes: readonly FieldNode[]): string[] {
  const paths = (level: readonly FieldNode[]): string[] =>
    level.flatMap(({ path, type, children }) => (type === 'nested' ? [] : [...(type === 'object' ? [] : [path]), ...paths(children)]));
  return paths(nodes).slice(0, MAX_COUNTED);
}

/** Settings that the service sets itself, or that can be set only at index creation. */
const FIXED =
  /^index\.(?:creation_date|provided_name|uuid|version\..*|number_of_shards|number_of_routing_shards|routing_partition_size|sort\..*|resize\..*|shard\.check_on_startup)$/;

export const isFixedSetting = (name: string): boolean => FIXED.test(name);

export interface SettingChange {
  readonly name: string;
  /** null if the setting is new. */
  readonly before: unknown;
  /** null resets it to the default. */
  readonly after: unknown;
}

/** The changes between two sets of flat settings. */
export function settingChanges(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): SettingChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => ({ name, before: before[name] ?? null, after: after[name] ?? null }));
}

/** Nested settings by dotted names; arrays are values. */
export function flatSettings(settings: Readonly<Record<string, unknown>>, prefix = ''): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      Object.assign(flat, flatSettings(value as Record<string, unknown>, `${prefix}${name}.`));
    else flat[prefix + name] = value;
  }
  return flat;
}

export interface SegmentInfo {
  readonly name: string;
  readonly shard: string;
  readonly documents: number;
  readonly deleted: number;
  readonly bytes: number;
}

interface ShardSegments {
  readonly routing: { readonly primary: boolean };
  readonly segments: Readonly<Record<string, { readonly num_docs: number; readonly deleted_docs: number; readonly size_in_bytes: number }>>;
}

/** Segments of the primaries of `_segments`, the largest first. */
export function segmentsOf(shards: Readonly<Record<string, readonly ShardSegments[]>>): SegmentInfo[] {
  return Object.entries(shards)
    .flatMap(([shard, copies]) =>
      copies
        .filter(({ routing }) => routing.primary)
        .flatMap(({ segments }) =>
          Object.entries(segments).map(([name, info]) => ({
            name,
            shard,
            documents: info.num_docs,
            deleted: info.deleted_docs,
            bytes: info.size_in_bytes,
          })),
        ),
    )
    .sort((a, b) => b.bytes - a.bytes);
}
