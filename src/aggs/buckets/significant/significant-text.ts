// significant_text: words of analyzed text that are more frequent among the documents of the bucket than in the whole index. The source of each
// document is analyzed again; with `filter_duplicate_text`, words in passages of earlier documents do not count.
// Source: SignificantTextAggregatorFactory and DuplicateSequenceSpotter of Elasticsearch, written anew from their description.
import { jsonDouble } from '../../../common/json/json-float.ts';
import type { JsonObject } from '../../../common/json/json-value.ts';
import type { FieldType } from '../../../mapping/core/field-type.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { illegalArgumentError } from '../../errors.ts';
import { docGroups } from '../../metrics/documents.ts';
import { Params } from '../../params.ts';
import { selectTop } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import type { AggType, BindContext, ParsedQuery, Slice, TextTokens } from '../../types.ts';
import { type IncludeExclude, parseIncludeExclude, termFilter } from '../terms/include-exclude.ts';
import { notNegative, positive } from '../terms/terms.ts';
import { parseBackground, wordBackground } from './background.ts';
import { DuplicateSpotter } from './duplicate-spotter.ts';
import { type Heuristic, parseHeuristic } from './significance.ts';

interface SignificantTextParams {
  readonly field: string;
  readonly sourceFields: readonly string[];
  readonly size: number;
  readonly minDocCount: number;
  readonly filterDuplicates: boolean;
  readonly filter: IncludeExclude | null;
  readonly heuristic: Heuristic;
  readonly background: ParsedQuery | null;
}

interface BoundText {
  /** null if the index does not have the field. */
  readonly type: FieldType | null;
  readonly tokens: TextTokens;
}

/** Number of documents with each word, and of all documents, per merged parent. */
function countWords(slices: readonly Slice[], parents: number, filterDuplicates: boolean) {
  const words = Array.from({ length: parents }, () => new Map<string, number>());
  const docs = new Float64Array(parents);
  const parentsOf = new Map<Slice, Map<number, number[]>>();
  docGroups(slices, parents).forEach((groups, parent) => {
    for (const group of groups) {
      docs[parent] += group.docs.length;
      let ofSlice = parentsOf.get(group.slice);
      if (!ofSlice) parentsOf.set(group.slice, (ofSlice = new Map()));
      for (const doc of group.docs) {
        const list = ofSlice.get(doc);
        if (list) list.push(parent);
        else ofSlice.set(doc, [parent]);
      }
    }
  });
  const spotter = filterDuplicates ? new DuplicateSpotter() : null;
  for (const slice of slices) {
    const { type, tokens } = slice.bound as BoundText;
    if (type === null) continue;
    for (const [doc, of] of [...(parentsOf.get(slice) ?? [])].sort(([a], [b]) => a - b)) {
      const distinct = new Set<string>();
      for (const text of tokens(slice.segment.segment, doc)) for (const word of spotter ? spotter.filter(text) : text) distinct.add(word);
      for (const parent of of) for (const word of distinct) words[parent].set(word, (words[parent].get(word) ?? 0) + 1);
    }
  }
  return { words, docs };
}

export const significantTextType: AggType = {
  isBucket: false,
  parse(name, typeName, body, ctx): SignificantTextParams {
    const p = new Params(typeName, body);
    const field = p.string('field');
    if (field === null) throw illegalArgumentError('Required one of fields [field], but none were specified. ');
    const sourceFields = (p.list('source_fields') ?? []).map(String);
    const size = positive(p, name, 'size') ?? 10;
    positive(p, name, 'shard_size');
    const minDocCount = notNegative(p, name, 'min_doc_count', 'minDocCount') ?? 3;
    notNegative(p, name, 'shard_min_doc_count', 'shardMinDocCount');
    const filterDuplicates = p.bool('filter_duplicate_text') ?? false;
    const filter = parseIncludeExclude(p, ctx.dialect);
    const heuristic = parseHeuristic(p);
    const background = parseBackground(p, ctx);
    p.done();
    return { field, sourceFields, size, minDocCount, filterDuplicates, filter, heuristic, background };
  },
  bind(spec, ctx: BindContext): BoundText {
    const { field, sourceFields } = spec.params as SignificantTextParams;
    const type = ctx.index.mapping.field(field);
    if (!type) return { type: null, tokens: () => [] };
    if (type.spec.analyzer === null && type.family !== 'keyword')
      throw illegalArgumentError(`Field [${field}] has no analyzer, but SignificantText requires an analyzed field`);
    return { type, tokens: ctx.index.textTokens(type, sourceFields) };
  },
  plan: (): AggNode => ({ op: 'docs', children: [] }),
  merge(spec, slices, parents, ctx) {
    const { size, minDocCount, filterDuplicates, filter, heuristic, background: parsed } = spec.params as SignificantTextParams;
    const { words, docs } = countWords(slices, parents, filterDuplicates);
    const test = filter && termFilter(filter, { type: null });
    const candidates = words.map((counts) =>
      [...counts].filter(([word, docCount]) => docCount >= minDocCount && (!test || test(Buffer.from(word)))),
    );
    const distinct = [...new Set(candidates.flatMap((list) => list.map(([word]) => word)))];
    const isMapped = slices.some(({ bound }) => (bound as BoundText).type !== null);
    const fieldOf = ({ bound }: Slice) => (bound as BoundText).type?.spec.name ?? null;
    const background = wordBackground(slices, distinct, parsed, fieldOf, ctx.dialect);
    return {
      at(parent) {
        const subsetSize = parent < 0 ? 0 : docs[parent];
        const scored: Array<{ word: string; docCount: number; score: number }> = [];
        for (const [word, subsetFreq] of parent < 0 ? [] : candidates[parent]) {
          const score = heuristic({ subsetFreq, subsetSize, supersetFreq: background.freq(word), supersetSize: background.size });
          if (score > 0) scored.push({ word, docCount: subsetFreq, score });
        }
        const order = selectTop(
          scored.map((_, i) => i),
          size,
          (a, b) => scored[b].score - scored[a].score || (scored[a].word < scored[b].word ? -1 : 1),
        );
        const buckets = order.map((i): OutBucket => {
          const { word, docCount, score } = scored[i];
          const fields: JsonObject = { key: word, doc_count: docCount, score: jsonDouble(score), bg_count: background.freq(word) };
          return { key: word, name: word, fields, docCount, aggs: new Map() };
        });
        ctx.addBuckets(buckets.length);
        return new BucketsOut(spec, 'sigsterms', buckets, isMapped ? { before: { doc_count: subsetSize, bg_count: background.size } } : {});
      },
    };
  },
};
