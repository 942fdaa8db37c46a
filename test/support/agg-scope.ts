// The view that aggregations have of an index without settings and scripts: for tests and benches without a service.
import type { IndexScope } from '../../src/aggs/index.ts';

/** @throws Error if an aggregation asks for a script */
export function plainIndexScope(scope: Pick<IndexScope, 'indexName' | 'mapping' | 'nowMs' | 'maxBuckets'>): IndexScope {
  const noScripts = (): never => {
    throw new Error('no scripts here');
  };
  return {
    ...scope,
    setting: (_name, fallback) => fallback,
    textTokens: () => () => [],
    fieldTexts: () => () => [],
    storedScript: () => null,
    docScript: noScripts,
    requireIdFielddata: () => undefined,
    addScript: noScripts,
  };
}
