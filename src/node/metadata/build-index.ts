// Builds analyzers and mappings from the metadata of an index, the same way in every thread.
import { AnalysisRegistry } from '../../analysis/analysis-registry.ts';
import type { SettingTree } from '../../analysis/settings.ts';
import { provideAnalysisHost, threadAnalysisHost } from '../../analysis/thread-host.ts';
import { createMapping, restoreMapping } from '../../mapping/create-mapping.ts';
import type { ClusterState, SynonymSets } from '../../metadata/cluster-state.ts';
import type { ReducerEnvironment } from '../../metadata/reducer.ts';
import { type FlatSettings, nestSettings } from '../../metadata/settings/index-settings.ts';
import { AnalysisHost } from '../../wasm/analysis.ts';
import { compileAnalyzer } from '../../wasm/kernels.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { type AnalysisSource, digestOf } from './analysis-checks.ts';
import { configFiles } from './config-directory.ts';
import { dialectOfNode } from './node-dialect.ts';

provideAnalysisHost(() => new AnalysisHost(compileAnalyzer()));

/**
 * @param isNew  true to build all of it; false: it was checked before, and analyzers are built on first use
 * @throws ApiError with Elasticsearch's errors for an invalid analysis section
 */
export function buildAnalysis(
  settings: FlatSettings,
  options: NodeOptions,
  isNew: boolean,
  synonymSets: SynonymSets = {},
): AnalysisRegistry {
  const nested = (nestSettings(settings).index ?? {}) as SettingTree;
  const environment = { ...analysisEnvironment(options), synonymSet: (name: string) => rulesIn(synonymSets, name) };
  return isNew ? AnalysisRegistry.build(environment, nested) : AnalysisRegistry.restore(environment, nested);
}

function rulesIn(sets: SynonymSets, name: string): readonly string[] | null {
  return Object.hasOwn(sets, name) ? sets[name].map(({ synonyms }) => synonyms) : null;
}

/** The built-in analyzers, for `_analyze` without an index. */
export function globalAnalysis(options: NodeOptions): AnalysisRegistry {
  return AnalysisRegistry.global(analysisEnvironment(options));
}

function analysisEnvironment(options: NodeOptions) {
  const { configPath, settings } = options;
  const files = configFiles(configPath, settings['indices.analysis.hunspell.dictionary']);
  return { host: threadAnalysisHost(), files, dialect: dialectOfNode(options) };
}

/**
 * @param onLarge  called instead of checking a large analysis definition, with its digest
 * @returns the part of a reducer's environment that checks definitions
 */
export function mappingBuilder(
  state: ClusterState,
  options: NodeOptions,
  onLarge: (source: AnalysisSource, digest: string) => void,
): ReducerEnvironment['buildMapping'] {
  const dialect = dialectOfNode(options);
  return (mappings, settings, age = 'new', synonymSets = state.synonymSets ?? {}) => {
    const source: AnalysisSource = { settings, synonymSets };
    const digest = age === 'stored' ? null : digestOf(source);
    if (digest !== null) onLarge(source, digest);
    const analysis = buildAnalysis(settings, options, age !== 'stored' && digest === null, synonymSets);
    return age === 'new'
      ? createMapping(mappings, analysis, settings, dialect)
      : restoreMapping(mappings, analysis, settings, null, dialect);
  };
}
