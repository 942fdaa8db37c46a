// Lets the mappings of this thread compile the queries of percolator fields, with the parser and the rewriter of searches.
import { AnalysisRegistry } from '../../analysis/analysis-registry.ts';
import { provideQueryCompiler } from '../../mapping/core/stored-query.ts';
import { compileStoredQuery } from '../../search/rewrite/stored/stored-query.ts';

export function provideCompilerOfStoredQueries(): void {
  provideQueryCompiler((query, environment) => compileStoredQuery(query, environment, registryOf(environment.analysis)));
}

/** The analyzers of an index, which are an AnalysisRegistry in every thread of a node. */
export function registryOf(analysis: unknown): AnalysisRegistry {
  if (analysis instanceof AnalysisRegistry) return analysis;
  throw new TypeError('the analyzers of an index are not those of a node');
}
