// categorize_text: a bucket per kind of message. The text of each document is read from its source and tokenized again.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { withEffort } from '../../regex/effort.ts';
import { compilePattern } from '../../regex/java-flags.ts';
import { type JavaPattern, removeMatches } from '../../regex/java-pattern.ts';
import { illegalArgumentError, tooManyBucketsError, unsupportedError } from '../errors.ts';
import { docGroups } from '../metrics/documents.ts';
import { Params } from '../params.ts';
import { runParentPipelines } from '../pipelines/run.ts';
import { selectTop } from '../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../reduce/out.ts';
import type { AggType, FieldTexts } from '../types.ts';
import { Categories, type Category, categoryRegex, messageTokens } from './categories.ts';
import { HostBucket } from './host-buckets.ts';
import { notNegative, positive } from './terms/terms.ts';

interface CategorizeParams {
  readonly field: string;
  readonly size: number;
  readonly minDocCount: number;
  /** 0 to 1. */
  readonly threshold: number;
  /** Removed from messages before they are compared. */
  readonly filters: readonly JavaPattern[];
}

const MAX_FILTERS = 100;
const DOCS_PER_CHECK_MASK = 255;
/** Number of characters of a message that are compared. */
const MAX_CHARACTERS = 10_000;
/** Step limit of all filters on one message. */
const FILTER_STEPS = 1_000_000;
/** Parameters of versions before 8.3, without effect since. */
const WITHOUT_EFFECT = ['max_unique_tokens', 'max_matched_tokens'];

function thresholdOf(p: Params, name: string): number {
  const percent = p.integer('similarity_threshold') ?? 70;
  if (percent < 1 || percent > 100)
    throw p.refusalError('similarity_threshold', `[similarity_threshold] must be in the range [1, 100]. Found [${percent}] in [${name}]`);
  return percent / 100;
}

export const categorizeTextType: AggType = {
  isBucket: true,
  parse(name, typeName, body): CategorizeParams {
    const p = new Params(typeName, body);
    const field = p.name('field');
    const size = positive(p, name, 'size') ?? 10;
    positive(p, name, 'shard_size');
    const minDocCount = notNegative(p, name, 'min_doc_count', 'minDocCount') ?? 1;
    notNegative(p, name, 'shard_min_doc_count', 'shardMinDocCount');
    const threshold = thresholdOf(p, name);
    for (const key of WITHOUT_EFFECT) p.integer(key);
    const filters = p.list('categorization_filters') ?? [];
    if (p.has('categorization_analyzer')) throw unsupportedError('[categorization_analyzer] of [categorize_text]');
    p.done();
    if (field === null) throw illegalArgumentError('Required [field]');
    if (filters.length > MAX_FILTERS)
      throw p.refusalError(
        'categorization_filters',
        `[categorization_filters] must have at most ${MAX_FILTERS} elements, got ${filters.length}`,
      );
    return { field, size, minDocCount, threshold, filters: filters.map((source) => compilePattern(String(source))) };
  },
  bind(spec, ctx): FieldTexts {
    const { field } = spec.params as CategorizeParams;
    const type = ctx.index.mapping.field(field);
    if (!type) return () => [];
    if (type.family !== 'text' && type.family !== 'keyword')
      throw illegalArgumentError(
        `categorize_text agg [${spec.name}] only works on text and keyword fields. Cannot aggregate field type [${type.typeName}] via [${field}]`,
      );
    return ctx.index.fieldTexts(type);
  },
  plan: (): AggNode => ({ op: 'docs', children: [] }),
  merge(spec, slices, parents, ctx) {
    const { size, minDocCount, threshold, filters } = spec.params as CategorizeParams;
    const groups = docGroups(slices, parents);
    return {
      at(parent) {
        const categories = new Categories(threshold, () => {
          if (categories.all.length >= ctx.maxBuckets) throw tooManyBucketsError(ctx.maxBuckets, categories.all.length + 1);
        });
        const buckets = new Map<Category, HostBucket>();
        let seen = 0;
        for (const { slice, segment, docs } of parent < 0 ? [] : groups[parent]) {
          const textsOf = slice.bound as FieldTexts;
          for (const doc of docs) {
            if ((++seen & DOCS_PER_CHECK_MASK) === 0) checkTurn();
            const [text] = textsOf(segment.segment, doc);
            if (text === undefined) continue;
            const message = withoutMatches(text.slice(0, MAX_CHARACTERS), filters);
            const category = categories.of(messageTokens(message), text.length);
            if (category === null) continue;
            let bucket = buckets.get(category);
            if (!bucket) buckets.set(category, (bucket = new HostBucket()));
            bucket.add(slice, doc);
          }
        }
        const shown = [...buckets].filter(([, { docCount }]) => docCount >= minDocCount);
        const order = selectTop(
          shown.map((_, i) => i),
          size,
          (a, b) => shown[b][1].docCount - shown[a][1].docCount || (keyOf(shown[a][0]) < keyOf(shown[b][0]) ? -1 : 1),
        );
        ctx.addBuckets(order.length);
        const out = order.map((i): OutBucket => {
          const [category, bucket] = shown[i];
          const key = keyOf(category);
          const fields: MutableJsonObject = {
            doc_count: bucket.docCount,
            key,
            regex: categoryRegex(category.tokens),
            max_matching_length: category.longest,
          };
          return { key, name: key, fields, docCount: bucket.docCount, aggs: bucket.children(spec, ctx) };
        });
        return new BucketsOut(spec, 'categorize_text', runParentPipelines(spec, out));
      },
    };
  },
};

function keyOf({ tokens }: Category): string {
  return tokens.join(' ');
}

/** @throws ApiError: a filter takes too many steps on the message */
function withoutMatches(text: string, filters: readonly JavaPattern[]): string {
  if (filters.length === 0) return text;
  return withEffort(FILTER_STEPS, () => filters.reduce(removeMatches, text));
}
