// All cases of the hostile test.
import { aggregationCases } from './cases/aggregations.ts';
import { definitionCases } from './cases/definitions.ts';
import { featureCases } from './cases/features.ts';
import { knownCases } from './cases/known.ts';
import { parameterCases } from './cases/parameters.ts';
import { queryCases } from './cases/queries.ts';
import { scriptCases } from './cases/scripts.ts';
import { searchCases } from './cases/searches.ts';
import type { HostileCase } from './hostile-case.ts';

export function* allCases(): Generator<HostileCase> {
  yield* knownCases();
  yield* featureCases();
  yield* scriptCases();
  yield* searchCases();
  yield* queryCases();
  yield* aggregationCases();
  yield* definitionCases();
  yield* parameterCases();
}
