// An EngineContext with real metadata (reducers, mappings, analysis) and documents in a map, not searchable: for tests of the REST families.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AnalysisRegistry } from '../../src/analysis/analysis-registry.ts';
import type { SettingTree } from '../../src/analysis/settings.ts';
import type { EngineContext, ShardStats, StoredDocument } from '../../src/api/core/context.ts';
import type { IndexState } from '../../src/api/core/index-state.ts';
import { EngineSearchCaches } from '../../src/api/core/search-caches.ts';
import type { WriteOperation, WriteOutcome } from '../../src/api/core/write.ts';
import { NO_FOLDERS } from '../../src/common/config-folder.ts';
import { dialectOf } from '../../src/compat/dialect.ts';
import { createMapping } from '../../src/mapping/create-mapping.ts';
import { emptyClusterState } from '../../src/metadata/empty-state.ts';
import { ShardRouting } from '../../src/metadata/indices/shard-routing.ts';
import { type CommandArgs, type CommandName, runReducer } from '../../src/metadata/reducers.ts';
import { nestSettings } from '../../src/metadata/settings/index-settings.ts';
import { AnalysisHost } from '../../src/wasm/analysis.ts';
import { fakeSecurity } from './fake-security.ts';

const host = new AnalysisHost(new WebAssembly.Module(readFileSync(new URL('../../build/analyzer.wasm', import.meta.url))));

export function fakeEngine(publishAddress: string | null = '127.0.0.1:9200'): EngineContext {
  let cluster = emptyClusterState('fake-cluster-uuid');
  const built = new Map<object, IndexState>();
  const documents = new Map<string, StoredDocument>();
  let seqNo = 0;
  const analysisOf = (settings: Parameters<typeof nestSettings>[0]): AnalysisRegistry =>
    AnalysisRegistry.build({ host, files: null }, (nestSettings(settings).index ?? {}) as SettingTree);
  const engine = {
    clusterName: 'gannet',
    nodeName: 'fake',
    nodeId: 'fakenodeidfakenodeid22',
    dialect: dialectOf('elasticsearch', ''),
    publishAddress,
    globalAnalysis: AnalysisRegistry.global({ host, files: null }),
    get cluster() {
      return cluster;
    },
    catchUp: () => null,
    nodes: [{ id: 'fakenodeidfakenodeid22', name: 'fake', publishAddress, transportAddress: publishAddress, isManager: true, load: null }],
    requireTogether: () => undefined,
    askNode: () => Promise.reject(new Error('no other node')),
    primaryNodeOf: () => 'fakenodeidfakenodeid22',
    damageOf: () => null,
    index(name: string): IndexState | null {
      const meta = Object.hasOwn(cluster.indices, name) ? cluster.indices[name] : null;
      if (!meta) return null;
      let state = built.get(meta);
      if (!state) {
        const analysis = analysisOf(meta.settings);
        state = {
          meta,
          analysis,
          mapping: createMapping(meta.mappings, analysis, meta.settings),
          numberOfShards: Number(meta.settings['index.number_of_shards']),
          routing: new ShardRouting(meta.settings),
        };
        built.set(meta, state);
      }
      return state;
    },
    async command<Name extends CommandName>(name: Name, args: CommandArgs<Name>) {
      const { state, response } = runReducer(name, cluster, args, {
        nowMs: Date.now(),
        dialect: dialectOf('elasticsearch', ''),
        newUuid: () => randomUUID().replaceAll('-', '').slice(0, 22),
        buildMapping: (mappings, settings) => createMapping(mappings, analysisOf(settings), settings),
      });
      cluster = state;
      return response;
    },
    acquire: (index: IndexState, shard: number) => ({ index, shard, generation: 1, segments: [], release: () => undefined }),
    reads: () => null,
    async shardStats(index: IndexState): Promise<ShardStats[]> {
      return Array.from({ length: index.numberOfShards }, (_, shard) => ({
        shard,
        docs: 0,
        deleted: 0,
        segments: 0,
        sizeBytes: 208,
        maxSeqNo: -1,
        translogOperations: 0,
        translogBytes: 0,
        counters: {},
        recovery: null,
        searchGroups: {},
        fielddata: {},
        completion: {},
      }));
    },
    async write(index: IndexState, _shard: number, operations: readonly WriteOperation[]): Promise<WriteOutcome[]> {
      return operations.map((op) => {
        const key = `${index.meta.uuid}/${op.id}`;
        const old = documents.get(key);
        const version = (old?.version ?? 0) + 1;
        const document: StoredDocument = { id: op.id, seqNo: seqNo++, primaryTerm: 1, version, routing: op.routing, source: op.source };
        if (op.kind === 'delete') documents.delete(key);
        else documents.set(key, document);
        const result = op.kind === 'delete' ? (old ? 'deleted' : 'not_found') : old ? 'updated' : 'created';
        return { ok: true, id: op.id, result, seqNo: document.seqNo, primaryTerm: 1, version, source: null };
      });
    },
    getRealtime: async (index: IndexState, _shard: number, id: string) => documents.get(`${index.meta.uuid}/${id}`) ?? null,
    refresh: async () => undefined,
    flush: async () => undefined,
    forceMerge: async () => undefined,
    memory: { reserve: () => undefined, release: () => undefined, check: () => undefined, stats: () => [] },
    searchCaches: new EngineSearchCaches(),
    security: fakeSecurity(),
    configFolders: NO_FOLDERS,
  };
  Object.defineProperty(engine, 'whole', { get: () => engine });
  return engine as unknown as EngineContext;
}
