// The rules of allocation: whether a copy may be on a node, and how copies that are allowed everywhere spread. Settings and their defaults are
// Elasticsearch's.

import { parseByteSize } from '../../common/text/byte-size.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import type { FlatSettings } from '../settings/index-settings.ts';
import type { AllocationNode } from './routing.ts';

type Values = Readonly<Record<string, unknown>>;

/** Free bytes of a disk below which a watermark is crossed. */
type Watermark = (totalBytes: number) => number;

export interface AllocationRules {
  readonly enable: string;
  readonly rebalance: string;
  readonly allowsRebalance: string;
  readonly concurrentRebalances: number;
  readonly incomingRecoveries: number;
  readonly outgoingRecoveries: number;
  readonly shardsPerNode: number;
  readonly isOnePerHost: boolean;
  /** Attributes, each with the values that are counted although no node may have them. */
  readonly awareness: ReadonlyArray<{ readonly attribute: string; readonly forced: readonly string[] }>;
  readonly isDiskChecked: boolean;
  readonly low: Watermark;
  readonly high: Watermark;
  readonly filters: readonly NodeFilter[];
  readonly shardWeight: number;
  readonly indexWeight: number;
  readonly bytesWeight: number;
  readonly threshold: number;
}

interface NodeFilter {
  readonly kind: 'require' | 'include' | 'exclude';
  /** As in the name of the setting: an attribute, `_name`, `_ip`, `_host`, `_publish_ip` or `_id`. */
  readonly what: string;
  readonly patterns: readonly string[];
  /** Name of the setting. */
  readonly setting: string;
}

const CLUSTER = 'cluster.routing.allocation.';
const DEFAULT_DELAY_MS = 60_000;

function textOf(settings: Values, name: string, fallback: string): string {
  const value = settings[name];
  return value === undefined || value === null ? fallback : String(value);
}

function numberOf(settings: Values, name: string, fallback: number): number {
  const value = Number(textOf(settings, name, String(fallback)));
  return Number.isFinite(value) ? value : fallback;
}

function listOf(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The watermark as a share of the disk in use (`85%`, `0.85`) or as free bytes (`10gb`). */
function watermark(settings: Values, level: string, fallback: string): Watermark {
  const text = textOf(settings, `${CLUSTER}disk.watermark.${level}`, fallback);
  const share = /^(\d+(?:\.\d+)?)(%?)$/.exec(text);
  if (share === null) {
    const bytes = parseByteSize(text) ?? 0;
    return () => bytes;
  }
  const used = share[2] === '%' ? Number(share[1]) / 100 : Number(share[1]);
  return (totalBytes) => totalBytes * Math.max(0, 1 - used);
}

/** @param settings  of the cluster, flat */
export function allocationRules(settings: Values): AllocationRules {
  const recoveries = numberOf(settings, `${CLUSTER}node_concurrent_recoveries`, 2);
  const attributes = listOf(textOf(settings, `${CLUSTER}awareness.attributes`, ''));
  return {
    enable: textOf(settings, `${CLUSTER}enable`, 'all'),
    rebalance: textOf(settings, 'cluster.routing.rebalance.enable', 'all'),
    allowsRebalance: textOf(settings, `${CLUSTER}allow_rebalance`, 'indices_all_active'),
    concurrentRebalances: numberOf(settings, `${CLUSTER}cluster_concurrent_rebalance`, 2),
    incomingRecoveries: numberOf(settings, `${CLUSTER}node_concurrent_incoming_recoveries`, recoveries),
    outgoingRecoveries: numberOf(settings, `${CLUSTER}node_concurrent_outgoing_recoveries`, recoveries),
    shardsPerNode: numberOf(settings, `${CLUSTER}total_shards_per_node`, -1),
    isOnePerHost: textOf(settings, `${CLUSTER}same_shard.host`, 'false') === 'true',
    awareness: attributes.map((attribute) => ({
      attribute,
      forced: listOf(textOf(settings, `${CLUSTER}awareness.force.${attribute}.values`, '')),
    })),
    isDiskChecked: textOf(settings, `${CLUSTER}disk.threshold_enabled`, 'true') === 'true',
    low: watermark(settings, 'low', '85%'),
    high: watermark(settings, 'high', '90%'),
    filters: filtersOf(settings, CLUSTER),
    shardWeight: numberOf(settings, `${CLUSTER}balance.shard`, 0.45),
    indexWeight: numberOf(settings, `${CLUSTER}balance.index`, 0.55),
    bytesWeight: 0.45,
    threshold: Math.max(1, numberOf(settings, `${CLUSTER}balance.threshold`, 1)),
  };
}

/** Rules of an index. */
export interface IndexRules {
  readonly enable: string;
  readonly rebalance: string;
  readonly shardsPerNode: number;
  readonly filters: readonly NodeFilter[];
  /** How long copies of a node that left stay reserved for it. */
  readonly delayMs: number;
}

export function indexRules(settings: FlatSettings): IndexRules {
  return {
    enable: textOf(settings, 'index.routing.allocation.enable', 'all'),
    rebalance: textOf(settings, 'index.routing.rebalance.enable', 'all'),
    shardsPerNode: numberOf(settings, 'index.routing.allocation.total_shards_per_node', -1),
    filters: filtersOf(settings, 'index.routing.allocation.'),
    delayMs: parseDurationMs(textOf(settings, 'index.unassigned.node_left.delayed_timeout', '')) ?? DEFAULT_DELAY_MS,
  };
}

function filtersOf(settings: Values, prefix: string): NodeFilter[] {
  const found: NodeFilter[] = [];
  for (const kind of ['require', 'include', 'exclude'] as const) {
    const start = `${prefix}${kind}.`;
    for (const setting of Object.keys(settings)) {
      // Every node has the roles of all tiers.
      if (!setting.startsWith(start) || setting === `${start}_tier_preference`) continue;
      const patterns = listOf(textOf(settings, setting, ''));
      if (patterns.length > 0) found.push({ kind, what: setting.slice(start.length), patterns, setting });
    }
  }
  return found;
}

function matches({ what, patterns }: NodeFilter, node: AllocationNode): boolean {
  const value =
    what === '_name'
      ? node.name
      : what === '_id'
        ? node.id
        : what === '_ip' || what === '_host' || what === '_publish_ip'
          ? node.host
          : node.attributes[what];
  return value !== undefined && patterns.some((pattern) => matchesPattern(pattern, value));
}

/** The filter that keeps copies off a node; null if none does. Of several `include` filters one must match, of `require` all. */
export function excludingFilter(filters: readonly NodeFilter[], node: AllocationNode): string | null {
  const includes = filters.filter(({ kind }) => kind === 'include');
  if (includes.length > 0 && !includes.some((filter) => matches(filter, node))) return includes[0].setting;
  const refusing = filters.find(
    (filter) => (filter.kind === 'require' && !matches(filter, node)) || (filter.kind === 'exclude' && matches(filter, node)),
  );
  return refusing?.setting ?? null;
}
