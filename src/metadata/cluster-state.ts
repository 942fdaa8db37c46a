// The node's metadata as plain, serializable data, which is stored in LMDB and sent to threads. States are immutable: a command creates a new one.
import type { JsonObject } from '../common/json/json-value.ts';
import type { ApiError } from '../errors/api-error.ts';
import type { CopyRouting } from './copy-routing.ts';

/** A registered snapshot repository. Values of settings are strings, as the API shows them. */
export interface RepositoryMeta {
  readonly type: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface AliasMeta {
  readonly filter?: JsonObject;
  readonly index_routing?: string;
  readonly search_routing?: string;
  readonly is_write_index?: boolean;
  readonly is_hidden?: boolean;
}

/** The snapshot that an index was restored from. */
export interface RestoreSource {
  readonly repository: string;
  readonly snapshot: string;
  /** `compat.version` when the snapshot was made. */
  readonly version: string;
  readonly index: string;
  readonly restoreUuid: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Files and bytes of each shard. */
  readonly shards: ReadonlyArray<{ readonly files: number; readonly bytes: number }>;
}

export interface IndexMeta {
  readonly name: string;
  readonly uuid: string;
  readonly creationDateMs: number;
  readonly state: 'open' | 'close';
  /** Flat index settings as given, with prefix: `index.number_of_shards: "1"` (values as strings or lists of strings, as the API shows them). */
  readonly settings: Readonly<Record<string, string | readonly string[]>>;
  readonly mappings: JsonObject;
  /** Incremented with each change of the mappings. */
  readonly mappingVersion: number;
  readonly settingsVersion: number;
  readonly aliasesVersion: number;
  readonly aliases: Readonly<Record<string, AliasMeta>>;
  /** Absent for an index that was not restored. */
  readonly restored?: RestoreSource;
  /** The data stream to which the index belongs; absent if it belongs to none. */
  readonly dataStream?: string;
  /** Absent until a lifecycle policy acts on the index. */
  readonly lifecycle?: LifecycleState;
  /** When and by which conditions the index was rolled over, by alias or data stream. Absent until then. */
  readonly rollovers?: Readonly<Record<string, Rollover>>;
}

/** Where an index is in its lifecycle policy. */
export interface LifecycleState {
  readonly policy: string;
  /** `new`, or a phase of the policy. */
  readonly phase: string;
  /** An action of the phase, or `complete`. */
  readonly action: string;
  /** A step of the action, `complete`, or `ERROR`. */
  readonly step: string;
  readonly phaseMs: number;
  readonly actionMs: number;
  readonly stepMs: number;
  /** The phase as it was when the index entered it, and the version of the policy. */
  readonly definition: JsonObject | null;
  readonly version: number;
  readonly modifiedMs: number;
  /** Of step `ERROR`: the step that failed, how often it was tried, and its error. */
  readonly failedStep: string | null;
  readonly retries: number;
  readonly info: JsonObject | null;
}

/** A policy of index lifecycles. */
export interface LifecyclePolicy {
  readonly version: number;
  readonly modifiedMs: number;
  /** `{ phases, _meta }` with all defaults. */
  readonly policy: JsonObject;
}

export interface IndexLifecycles {
  readonly isStopped: boolean;
  readonly policies: Readonly<Record<string, LifecyclePolicy>>;
}

/** The source of the fields that an enrich processor adds to documents. */
export interface EnrichPolicy {
  readonly type: 'match' | 'geo_match' | 'range';
  /** Names and patterns of the indices that are read. */
  readonly indices: readonly string[];
  readonly matchField: string;
  readonly enrichFields: readonly string[];
  /** Selects documents; null for all. */
  readonly query: JsonObject | null;
}

export interface Rollover {
  readonly timeMs: number;
  /** Conditions that were met, in the form of the response: `[max_docs: 5]`. */
  readonly metConditions: readonly string[];
}

/** A sequence of backing indices under one name. The last one receives the writes. */
export interface DataStream {
  readonly name: string;
  /** Backing indices from the oldest to the newest; never empty. */
  readonly indices: readonly string[];
  /** Number in the name of the newest backing index that a rollover made. */
  readonly generation: number;
  readonly isHidden: boolean;
  readonly allowsRouting: boolean;
  /** `_meta` of the template at creation. */
  readonly meta: JsonObject | null;
  readonly lifecycle: DataLifecycle | null;
  /** The next write rolls over first (`_rollover?lazy=true`). */
  readonly rolloverOnWrite: boolean;
  readonly aliases: Readonly<Record<string, AliasMeta>>;
}

export interface DataLifecycle {
  readonly enabled: boolean;
  /** A duration such as `7d`; null to keep everything. */
  readonly data_retention: string | null;
}

/** A snapshot made by a policy, or its failure. */
export interface PolicyRun {
  readonly snapshot: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Error of a failed run as JSON; null for a success. */
  readonly details: string | null;
}

/** Snapshots that a policy has taken and deleted. */
export interface PolicyStats {
  readonly taken: number;
  readonly failed: number;
  readonly deleted: number;
  readonly deletionFailures: number;
}

/** A snapshot lifecycle policy with what it has done. */
export interface SnapshotPolicy {
  readonly version: number;
  readonly modifiedMs: number;
  /** `{ name, schedule, repository, config, retention }` as given. */
  readonly policy: JsonObject;
  readonly lastSuccess: PolicyRun | null;
  readonly lastFailure: PolicyRun | null;
  readonly stats: PolicyStats;
}

export interface SnapshotLifecycle {
  readonly isStopped: boolean;
  readonly policies: Readonly<Record<string, SnapshotPolicy>>;
  readonly retention: { readonly runs: number; readonly failed: number; readonly timedOut: number; readonly deletionMs: number };
}

export interface ClusterState {
  readonly version: number;
  readonly clusterUuid: string;
  readonly indices: Readonly<Record<string, IndexMeta>>;
  /** Legacy `_template`, composable `_index_template`, `_component_template` bodies by name. */
  readonly templates: Readonly<Record<string, JsonObject>>;
  readonly indexTemplates: Readonly<Record<string, JsonObject>>;
  readonly componentTemplates: Readonly<Record<string, JsonObject>>;
  readonly settings: { readonly persistent: Readonly<Record<string, unknown>>; readonly transient: Readonly<Record<string, unknown>> };
  readonly scripts: Readonly<Record<string, JsonObject>>;
  readonly pipelines: Readonly<Record<string, JsonObject>>;
  /** Snapshot repositories by name. Absent in states stored by versions without snapshots. */
  readonly repositories?: Readonly<Record<string, RepositoryMeta>>;
  /** Absent until a policy is created. */
  readonly snapshotLifecycle?: SnapshotLifecycle;
  /** By name; absent until one is created. */
  readonly enrichPolicies?: Readonly<Record<string, EnrichPolicy>>;
  /** Absent until a set is created. */
  readonly synonymSets?: SynonymSets;
  /** Absent in states stored by versions without search pipelines. */
  readonly searchPipelines?: Readonly<Record<string, JsonObject>>;
  /** Absent until a policy is created, or lifecycles are stopped. */
  readonly indexLifecycles?: IndexLifecycles;
  /** Data streams by name. Absent until one is created. */
  readonly dataStreams?: Readonly<Record<string, DataStream>>;
  /** Absent until nodes are excluded. */
  readonly votingExclusions?: readonly VotingExclusion[];
  /** Node with the primary copies of each index, by its uuid. Absent without a cluster. */
  readonly primaries?: Readonly<Record<string, string>>;
  /** Copies of each index, by its uuid. Absent if every node has a copy of every index. */
  readonly copies?: Readonly<Record<string, readonly CopyRouting[]>>;
}

/** A rule of synonyms in Solr's format. */
export interface SynonymRule {
  readonly id: string;
  readonly synonyms: string;
}

/** Rules by the name of their set, ordered by id. */
export type SynonymSets = Readonly<Record<string, readonly SynonymRule[]>>;

/** A node that is excluded from the voting configuration; `_absent_` for what is not known of it. */
export interface VotingExclusion {
  readonly node_id: string;
  readonly node_name: string;
}

/** The names of indices and aliases that a caller may use, whether they exist or not. */
export interface NamePolicy {
  allows(name: string): boolean;
  /** Called for each index that an expression reaches, by its own name or through an alias. */
  reached(index: string, through: string): void;
  /** The error for names that are not allowed. */
  refusal(names: readonly string[]): ApiError;
}

/** The metadata as a caller sees it: without the indices, aliases and fields that are hidden from them. */
export interface ClusterView extends ClusterState {
  /** Absent if every name is allowed. */
  readonly names?: NamePolicy;
}
