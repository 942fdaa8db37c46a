// The `profile` of a search as trees of times. Independent of the page's components.

export interface ProfileNode {
  readonly name: string;
  readonly description: string;
  /** Nanoseconds, including those of the children. */
  readonly nanos: number;
  /** Times by step, in nanoseconds, the longest first. */
  readonly times: ReadonlyArray<readonly [step: string, nanos: number]>;
  readonly counts: ReadonlyArray<readonly [name: string, count: number]>;
  /** Other counters of the engine: blocks decoded, blocks pruned... */
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>;
  readonly children: readonly ProfileNode[];
}

export interface ShardProfile {
  readonly title: string;
  readonly nanos: number;
  /** `Query`, `Collectors`, `Aggregations`, `Fetch`. */
  readonly parts: ReadonlyArray<{ readonly title: string; readonly roots: readonly ProfileNode[] }>;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : []);
const nanosOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Profiles of all shards, slowest first; empty if the response has none. */
export function shardProfiles(json: unknown): ShardProfile[] {
  if (!isObject(json) || !isObject(json.profile)) return [];
  return list(json.profile.shards)
    .map((shard): ShardProfile => {
      const searches = list(shard.searches);
      const rewrites = searches.map((search) => nanosOf(search.rewrite_time)).reduce((sum, n) => sum + n, 0);
      const rewrite: ProfileNode[] =
        rewrites > 0
          ? [
              {
                name: 'rewrite',
                description: 'from the query to its terms',
                nanos: rewrites,
                times: [],
                counts: [],
                facts: [],
                children: [],
              },
            ]
          : [];
      const parts = [
        { title: 'Query', roots: [...searches.flatMap((search) => list(search.query)).map(nodeOf), ...rewrite] },
        { title: 'Collectors', roots: searches.flatMap((search) => list(search.collector)).map(nodeOf) },
        { title: 'Aggregations', roots: list(shard.aggregations).map(nodeOf) },
        { title: 'Fetch', roots: list(shard.fetch).map(nodeOf) },
      ].filter(({ roots }) => roots.length > 0);
      const nanos = parts
        .filter(({ title }) => title !== 'Collectors')
        .flatMap(({ roots }) => roots)
        .reduce((sum, root) => sum + root.nanos, 0);
      return { title: `${String(shard.index ?? '')} shard ${String(shard.shard_id ?? shard.id)}`, nanos, parts };
    })
    .sort((a, b) => b.nanos - a.nanos);
}

function nodeOf(json: Json): ProfileNode {
  const breakdown = Object.entries(isObject(json.breakdown) ? json.breakdown : {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
  );
  return {
    name: String(json.type ?? json.name ?? ''),
    description: String(json.description ?? json.reason ?? ''),
    nanos: nanosOf(json.time_in_nanos),
    times: breakdown.filter(([name]) => !name.endsWith('_count')).sort(([, a], [, b]) => b - a),
    counts: breakdown.filter(([name]) => name.endsWith('_count')).map(([name, count]) => [name.replace(/_count$/, ''), count]),
    facts: Object.entries(isObject(json.debug) ? json.debug : {}).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
    children: list(json.children).map(nodeOf),
  };
}

/** Widths of the children as shares of their parent's time, or of their sum if measuring overhead made that larger. */
export function sharesOf({ nanos, children }: Pick<ProfileNode, 'nanos' | 'children'>): number[] {
  const sum = children.reduce((total, child) => total + child.nanos, 0);
  const whole = Math.max(nanos, sum);
  return children.map((child) => (whole === 0 ? 1 / children.length : child.nanos / whole));
}
