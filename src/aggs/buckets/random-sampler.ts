// random_sampler: in Elasticsearch a random part of the documents, scaled up. Here it passes on all documents, so that its results are exact: the
// kernels count whole columns, and skipping documents at random would cost more than it saves.

import { randomInt } from 'node:crypto';
import { jsonDouble } from '../../common/json/json-float.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { illegalArgumentError } from '../errors.ts';
import { Params } from '../params.ts';
import { mergeBuckets, mergeChildren } from '../reduce/merge.ts';
import { SingleBucketOut } from '../reduce/out.ts';
import type { AggType } from '../types.ts';

interface SamplerParams {
  readonly probability: number | null;
  readonly seed: number;
  readonly shardSeed: number | null;
}

export const randomSamplerType: AggType = {
  isBucket: true,
  parse(_name, typeName, body): SamplerParams {
    const p = new Params(typeName, body);
    const probability = p.number('probability');
    const seed = p.integer('seed') ?? randomInt(-(2 ** 31), 2 ** 31 - 1);
    const shardSeed = p.integer('shard_seed');
    if (probability !== null && !(probability > 0))
      throw p.refusalError('probability', `[probability] must be greater than 0.0, was [${javaDouble(probability)}]`);
    if (probability !== null && probability > 0.5 && probability !== 1)
      throw p.refusalError('probability', `[probability] must be between 0.0 and 0.5 or exactly 1.0, was [${javaDouble(probability)}]`);
    p.done();
    return { probability, seed, shardSeed };
  },
  bind(spec, ctx) {
    const wrong = (problem: string) => illegalArgumentError(`[random_sampler] aggregation [${spec.name}] ${problem}`);
    if ((spec.params as SamplerParams).probability === null) throw wrong('must have [probability] set');
    if (ctx.parents.length > 0) throw wrong('cannot have a parent aggregation');
    if (spec.children.length === 0) throw wrong('must have sub-aggregations');
    return null;
  },
  plan: (_spec, _bound, _scope, children): AggNode => ({ op: 'filters', filters: [{ op: 'matchAll' }], other: false, children }),
  merge(spec, slices, _parents, ctx) {
    const { probability, seed, shardSeed } = spec.params as SamplerParams;
    const merged = mergeBuckets(slices, () => 0);
    const children = mergeChildren(spec, slices, merged.maps, merged.count, ctx);
    return {
      at(parent) {
        const id = parent < 0 || merged.count === 0 ? -1 : 0;
        ctx.addBuckets(1);
        const before = { seed, ...(shardSeed === null ? {} : { shard_seed: shardSeed }), probability: jsonDouble(probability) };
        return new SingleBucketOut(spec, 'random_sampler', id < 0 ? 0 : merged.docCounts[id], children.at(id), before);
      },
    };
  },
};
