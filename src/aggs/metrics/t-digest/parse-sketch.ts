// Parameters of aggregations that read quantiles, as requests name them.
import { javaDouble } from '../../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors.ts';
import type { Params } from '../../params.ts';
import type { SketchParams } from './sketch.ts';

/**
 * Reads `compression`, `execution_hint` and `exact` of the aggregation `name`.
 * @param fallback    compression unless the request names one
 * @param allowsZero  whether a compression of 0 is valid
 */
export function parseSketch(p: Params, name: string, fallback: number, allowsZero: boolean): SketchParams {
  const compression = p.number('compression') ?? fallback;
  if (compression < 0 || (compression === 0 && !allowsZero)) {
    const least = allowsZero ? 'greater than or equal to 0' : 'greater than 0';
    throw p.refusalError('compression', `[compression] must be ${least}. Found [${javaDouble(compression)}] in [${name}]`);
  }
  return { compression, isAccurate: accuracyHint(p), isExact: p.bool('exact') ?? false };
}

/** `execution_hint` of a digest. */
export function accuracyHint(p: Params): boolean {
  const hint = p.string('execution_hint') ?? 'default';
  if (hint !== 'default' && hint !== 'high_accuracy')
    throw illegalArgumentError(`Invalid execution_hint [${hint}], valid values are [default, high_accuracy]`);
  return hint === 'high_accuracy';
}
