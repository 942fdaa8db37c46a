// Metadata in one thread, with the analyzers and mappings built from it. They are built on first use and kept until they change.

import type { AnalysisRegistry } from '../../analysis/analysis-registry.ts';
import type { IndexState } from '../../api/core/index-state.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { restoreMapping } from '../../mapping/create-mapping.ts';
import type { ClusterState, IndexMeta, SynonymSets } from '../../metadata/cluster-state.ts';
import { emptyClusterState } from '../../metadata/empty-state.ts';
import { ShardRouting } from '../../metadata/indices/shard-routing.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { buildAnalysis } from './build-index.ts';
import { dialectOfNode } from './node-dialect.ts';

const DEFAULT_REFRESH_MS = 1000;

class BuiltIndex implements IndexState {
  readonly meta: IndexMeta;
  readonly numberOfShards: number;
  readonly routing: ShardRouting;
  /** -1 for no scheduled refresh. */
  readonly refreshIntervalMs: number;
  readonly #options: NodeOptions;
  readonly #synonymSets: SynonymSets;
  #analysis: AnalysisRegistry | null;
  #mapping: MappingSnapshot | null;
  /** Mapping of the previous version, whose fields keep their numbers in the new one. Dropped when the new mapping is built. */
  #mappingBefore: MappingSnapshot | null;

  constructor(meta: IndexMeta, options: NodeOptions, synonymSets: SynonymSets, before: BuiltIndex | null) {
    this.meta = meta;
    this.#synonymSets = synonymSets;
    this.#options = options;
    const sameSettings = before?.meta.settingsVersion === meta.settingsVersion;
    this.#analysis = sameSettings ? before.#analysis : null;
    this.#mapping = sameSettings && before.meta.mappingVersion === meta.mappingVersion ? before.#mapping : null;
    this.#mappingBefore = before === null ? null : (before.#mapping ?? before.#mappingBefore);
    this.routing = new ShardRouting(meta.settings, meta.name);
    this.numberOfShards = this.routing.numberOfShards;
    const interval = meta.settings['index.refresh_interval'];
    this.refreshIntervalMs = typeof interval === 'string' ? (parseDurationMs(interval) ?? DEFAULT_REFRESH_MS) : DEFAULT_REFRESH_MS;
  }

  get analysis(): AnalysisRegistry {
    return (this.#analysis ??= buildAnalysis(this.meta.settings, this.#options, false, this.#synonymSets));
  }

  get mapping(): MappingSnapshot {
    if (this.#mapping === null) {
      this.#mapping = restoreMapping(
        this.meta.mappings,
        this.analysis,
        { ...this.meta.settings, 'index.provided_name': this.meta.name },
        this.#mappingBefore,
        dialectOfNode(this.#options),
      );
      this.#mappingBefore = null;
    }
    return this.#mapping;
  }
}

export class IndexStates {
  readonly #options: NodeOptions;
  #cluster: ClusterState = emptyClusterState('_na_');
  #byName = new Map<string, BuiltIndex>();
  #byUuid = new Map<string, BuiltIndex>();

  constructor(options: NodeOptions) {
    this.#options = options;
  }

  get cluster(): ClusterState {
    return this.#cluster;
  }

  update(state: ClusterState): void {
    const byName = new Map<string, BuiltIndex>();
    const byUuid = new Map<string, BuiltIndex>();
    for (const meta of Object.values(state.indices)) {
      const before = this.#byUuid.get(meta.uuid) ?? null;
      const same = before !== null && before.meta.name === meta.name && isSameVersion(before.meta, meta);
      const built = same ? before : new BuiltIndex(meta, this.#options, state.synonymSets ?? {}, before);
      byName.set(meta.name, built);
      byUuid.set(meta.uuid, built);
    }
    this.#cluster = state;
    this.#byName = byName;
    this.#byUuid = byUuid;
  }

  byName(name: string): BuiltIndex | null {
    return this.#byName.get(name) ?? null;
  }

  byUuid(uuid: string): BuiltIndex | null {
    return this.#byUuid.get(uuid) ?? null;
  }

  uuids(): string[] {
    return [...this.#byUuid.keys()];
  }
}

function isSameVersion(a: IndexMeta, b: IndexMeta): boolean {
  return (
    a.mappingVersion === b.mappingVersion &&
    a.settingsVersion === b.settingsVersion &&
    a.aliasesVersion === b.aliasesVersion &&
    a.state === b.state
  );
}
