// The node's metadata as plain, serialisable data: what LMDB keeps and threads exchange. Values are immutable; an operation makes a new state.
import type { JsonObject } from '../common/json-value.ts';

export interface AliasMeta {
  readonly filter?: JsonObject;
  readonly index_routing?: string;
  readonly search_routing?: string;
  readonly is_write_index?: boolean;
  readonly is_hidden?: boolean;
}

export interface IndexMeta {
  readonly name: string;
  readonly uuid: string;
  readonly creationDateMs: number;
  readonly state: 'open' | 'close';
  /** Flat index settings as given, with prefix: `index.number_of_shards: "1"` (values as strings or lists of strings, as the API shows them). */
  readonly settings: Readonly<Record<string, string | readonly string[]>>;
  readonly mappings: JsonObject;
  /** All field names ever mapped, in order of field number (see MappingSnapshot.fields); kept so that numbers never move. */
  readonly mappingVersion: number;
  readonly settingsVersion: number;
  readonly aliasesVersion: number;
  readonly aliases: Readonly<Record<string, AliasMeta>>;
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
  /** Missing in states that were kept before there were any. */
  readonly searchPipelines?: Readonly<Record<string, JsonObject>>;
}
