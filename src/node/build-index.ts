// From index settings and mappings to analyzers and mapping, the same way in every thread.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AnalysisRegistry } from '../analysis/analysis-registry.ts';
import type { SettingTree } from '../analysis/settings.ts';
import { provideAnalysisHost, threadAnalysisHost } from '../analysis/thread-host.ts';
import { createMapping, restoreMapping } from '../mapping/create-mapping.ts';
import type { Json, MappingSnapshot } from '../mapping/mapping-snapshot.ts';
import { type FlatSettings, nestSettings } from '../metadata/index-settings.ts';
import { AnalysisHost } from '../wasm/analysis.ts';
import { configFiles } from './config-directory.ts';

const KERNELS = new URL('../../build/analyzer.wasm', import.meta.url);

provideAnalysisHost(() => new AnalysisHost(new WebAssembly.Module(readFileSync(fileURLToPath(KERNELS)))));

/** @throws ApiError as Elasticsearch refuses an analysis section */
export function buildAnalysis(settings: FlatSettings, configPath: string): AnalysisRegistry {
  const nested = (nestSettings(settings).index ?? {}) as SettingTree;
  return AnalysisRegistry.build(analysisEnvironment(configPath), nested);
}

/** Built-in analyzers alone, for `_analyze` without an index. */
export function globalAnalysis(configPath: string): AnalysisRegistry {
  return AnalysisRegistry.global(analysisEnvironment(configPath));
}

function analysisEnvironment(configPath: string) {
  return { host: threadAnalysisHost(), files: configFiles(configPath) };
}

/** `isNew`: limits are checked. @throws ApiError as Elasticsearch refuses mappings */
export function buildMapping(mappings: Json, settings: FlatSettings, configPath: string, isNew: boolean): MappingSnapshot {
  return (isNew ? createMapping : restoreMapping)(mappings, buildAnalysis(settings, configPath), settings);
}
