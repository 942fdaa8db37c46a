// sampler and diversified_sampler: the best-scoring documents of each shard, the only ones that sub-aggregations see. The sample is known once a
// shard has been searched, so the sub-aggregations run over it afterwards.

import type { AggNode } from '../../plan/agg-plan.ts';
import { illegalArgumentError } from '../errors.ts';
import { docGroups } from '../metrics/documents.ts';
import { Params } from '../params.ts';
import { mergeChildren } from '../reduce/merge.ts';
import { SingleBucketOut } from '../reduce/out.ts';
import { bindSource, hasNoValues, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggType, Bindings, Slice } from '../types.ts';
import { checkHint } from './terms/terms.ts';

/** Lucene's message for an empty sample. */
const NO_SAMPLE = 'numHits must be > 0; please use TotalHitCountCollectorManager if you just need the total hit count';

interface SamplerParams {
  readonly shardSize: number;
  /** diversified_sampler: maximum number of documents per shard with the same value of the field. */
  readonly source: SourceParams | null;
  readonly perValue: number;
  readonly hint: string | null;
}

const HINTS = new Set(['map', 'bytes_hash', 'global_ordinals']);

function samplerType(isDiversified: boolean): AggType {
  return {
    isBucket: true,
    parse(name, typeName, body, { dialect }): SamplerParams {
      const p = new Params(typeName, body, name);
      const shardSize = p.integer('shard_size') ?? 100;
      const perValue = isDiversified ? (p.integer('max_docs_per_value') ?? 1) : 0;
      const source = isDiversified ? parseSource(p, { format: false }) : null;
      const hint = isDiversified ? p.string('execution_hint') : null;
      p.done();
      if (shardSize <= 0 && !dialect.blamesAggregationRequests)
        throw p.refusalError('shard_size', `[shardSize] must be greater than or equal to 0. Found [${shardSize}] in [${name}]`);
      if (isDiversified && perValue <= 0)
        throw p.refusalError(
          'max_docs_per_value',
          `[maxDocsPerValue] must be greater than or equal to 0. Found [${perValue}] in [${name}]`,
        );
      return { shardSize, source, perValue, hint };
    },
    bind(spec, ctx) {
      const { source, shardSize, hint } = spec.params as SamplerParams;
      const outer = ctx.parents.find(({ typeName }) => typeName === 'random_sampler');
      if (outer)
        throw illegalArgumentError(
          `[random_sampler] aggregation [${outer.name}] does not support sampling [${spec.typeName}] aggregation [${spec.name}]`,
        );
      const bound = source ? bindSource('diversified_sampler', source, ctx, ['keyword', 'numeric', 'boolean', 'date', 'ip']) : null;
      if (bound?.type?.spec.column === 'ordinals') checkHint(hint, HINTS, 'map, bytes_hash, global_ordinals');
      if (bound !== null && hasNoValues(bound)) return bound;
      if (ctx.index.mapping.dialect.blamesAggregationRequests) {
        if (spec.children.length === 0) throw illegalArgumentError('Sampler aggregation must be used with child aggregations.');
        if (shardSize <= 0) throw illegalArgumentError(NO_SAMPLE);
      }
      return bound;
    },
    // This bucket only lists documents; the children run over the sample.
    plan: (): AggNode => ({ op: 'docs', children: [] }),
    verify(_spec, { result, bound, segment: { segment } }) {
      const source = bound as ValuesSource | null;
      const column = source?.type ? segment.column(source.field) : null;
      if (result.op !== 'docs' || source === null || !column?.multiValued) return;
      for (const doc of result.docs) {
        if (segment.values(source.field, doc).length > 1)
          throw illegalArgumentError('Sample diversifying key must be a single valued-field');
      }
    },
    merge(spec, slices, parents, ctx) {
      const params = spec.params as SamplerParams;
      const groups = docGroups(slices, parents);
      return {
        at(parent) {
          const below: Slice[] = [];
          let docCount = 0;
          const sampled = parent < 0 ? [] : groups[parent].filter(({ slice }) => !slice.bound || !hasNoValues(slice.bound as ValuesSource));
          for (const { slice, docs, scores } of sampleOf(sampled, params)) {
            docCount += docs.length;
            const children = slice.segment.collectChildren(spec, slice.bindings, docs, scores);
            const buckets = { parents: Uint32Array.of(0), keys: Float64Array.of(0), docCounts: Uint32Array.of(docs.length) };
            below.push({ ...slice, map: null, result: { op: 'buckets', buckets, children } });
          }
          const maps = below.map(() => Int32Array.of(0));
          ctx.addBuckets(1);
          return new SingleBucketOut(spec, 'sampler', docCount, mergeChildren(spec, below, maps, 1, ctx).at(docCount > 0 ? 0 : -1));
        },
      };
    },
  };
}

type Group = ReturnType<typeof docGroups>[number][number];

interface Sample {
  readonly slice: Slice;
  readonly docs: Uint32Array;
  /** Parallel to the documents. */
  readonly scores: Float32Array;
}

/** The best documents of each shard by score, then by docId; ascending per segment. */
function sampleOf(groups: readonly Group[], { shardSize, source, perValue }: SamplerParams): Sample[] {
  const shards = new Map<Bindings, Map<number, Array<{ group: number; doc: number; score: number }>>>();
  groups.forEach((group, g) => {
    const ofIndex = shards.get(group.slice.bindings) ?? new Map<number, Array<{ group: number; doc: number; score: number }>>();
    shards.set(group.slice.bindings, ofIndex);
    const list = ofIndex.get(group.segment.shard) ?? [];
    ofIndex.set(group.segment.shard, list);
    group.docs.forEach((doc, i) => {
      list.push({ group: g, doc, score: group.scores[i] });
    });
  });
  const chosen: Array<Array<{ doc: number; score: number }>> = groups.map(() => []);
  for (const list of [...shards.values()].flatMap((ofIndex) => [...ofIndex.values()])) {
    list.sort((a, b) => b.score - a.score || a.group - b.group || a.doc - b.doc);
    const taken = new Map<string, number>();
    let left = shardSize;
    for (const { group, doc, score } of list) {
      if (left === 0) break;
      if (source) {
        const key = valueKey(groups[group].slice, doc);
        const count = taken.get(key) ?? 0;
        if (count >= perValue) continue;
        taken.set(key, count + 1);
      }
      chosen[group].push({ doc, score });
      left--;
    }
  }
  return groups.flatMap(({ slice }, g) => {
    const sample = chosen[g].sort((a, b) => a.doc - b.doc);
    if (sample.length === 0) return [];
    return [{ slice, docs: Uint32Array.from(sample, ({ doc }) => doc), scores: Float32Array.from(sample, ({ score }) => score) }];
  });
}

/** The value by which documents are diversified; all documents without one share a value. */
function valueKey(slice: Slice, doc: number): string {
  const source = slice.bound as ValuesSource;
  const [value] = source.type ? slice.segment.segment.values(source.field, doc) : [];
  if (value === undefined) return '';
  return source.kind === 'ordinals'
    ? Buffer.from(slice.segment.segment.termOf(source.field, Number(value))).toString('latin1')
    : String(value);
}

export const samplerAggType = samplerType(false);
export const diversifiedSamplerType = samplerType(true);
