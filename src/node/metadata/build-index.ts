// Builds analyzers and mappings from the metadata of an index, the same way in every thread.
import { AnalysisRegistry } from '../../analysis/analysis-registry.ts';
import type { SettingTree } from '../../analysis/settings.ts';
import { provideAnalysisHost, threadAnalysisHost } from '../../analysis/thread-host.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { createMapping, restoreMapping } from '../../mapping/create-mapping.ts';
import type { SynonymSets } from '../../metadata/cluster-state.ts';
import { type FlatSettings, nestSettings } from '../../metadata/settings/index-settings.ts';
import { AnalysisHost } from '../../wasm/analysis.ts';
import { compileAnalyzer } from '../../wasm/kernels.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { configFiles } from './config-directory.ts';
import { dialectOfNode } from './node-dialect.ts';

provideAnalysisHost(() => new AnalysisHost(compileAnalyzer()));

/** @throws ApiError with Elasticsearch's errors for an invalid analysis section */
export function buildAnalysis(settings: FlatSettings, options: NodeOptions, synonymSets: SynonymSets = {}): AnalysisRegistry {
  const nested = (nestSettings(settings).index ?? {}) as SettingTree;
  return AnalysisRegistry.build({ ...analysisEnvironment(options), synonymSet: (name) => rulesIn(synonymSets, name) }, nested);
}

function rulesIn(sets: SynonymSets, name: string): readonly string[] | null {
  return Object.hasOwn(sets, name) ? sets[name].map(({ synonyms }) => synonyms) : null;
}

/** The built-in analyzers, for `_analyze` without an index. */
export function globalAnalysis(options: NodeOptions): AnalysisRegistry {
  return AnalysisRegistry.global(analysisEnvironment(options));
}

function analysisEnvironment({ configPath, settings }: NodeOptions) {
  return { host: threadAnalysisHost(), files: configFiles(configPath, settings['indices.analysis.hunspell.dictionary']) };
}

/** @param isNew  true to check limits. @throws ApiError with Elasticsearch's errors for an invalid mapping */
export function buildMapping(
  mappings: JsonObject,
  settings: FlatSettings,
  options: NodeOptions,
  isNew: boolean,
  synonymSets: SynonymSets = {},
): MappingSnapshot {
  const analysis = buildAnalysis(settings, options, synonymSets);
  const dialect = dialectOfNode(options);
  return isNew ? createMapping(mappings, analysis, settings, dialect) : restoreMapping(mappings, analysis, settings, null, dialect);
}
