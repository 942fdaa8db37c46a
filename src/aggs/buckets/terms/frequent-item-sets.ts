// frequent_item_sets: values of several fields that often occur together in documents.
import { jsonDouble } from '../../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../../common/json/json-value.ts';
import { setOwn } from '../../../common/json/own-property.ts';
import { checkTurn } from '../../../common/turns/turn.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { illegalArgumentError } from '../../errors.ts';
import { docGroups } from '../../metrics/documents.ts';
import { Params } from '../../params.ts';
import type { MergeKey } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { bindSource, parseSource, type SourceParams, type ValuesSource } from '../../source.ts';
import type { AggType, ParsedQuery, Slice } from '../../types.ts';
import { checkIncludeExclude, type IncludeExclude, numberFilter, parseIncludeExclude, termFilter } from './include-exclude.ts';
import { closedItemSets } from './item-sets.ts';
import { positive } from './terms.ts';
import { TermKeys } from './terms-keys.ts';

interface ItemField {
  readonly source: SourceParams;
  readonly filter: IncludeExclude | null;
}

interface ItemSetParams {
  readonly fields: readonly ItemField[];
  readonly minSize: number;
  /** 0 to 1. */
  readonly minSupport: number;
  readonly size: number;
  readonly query: ParsedQuery | null;
}

const MAX_FIELDS = 100;
/** Values of all fields in all documents. */
const MAX_VALUES = 20_000_000;

function fieldOf(entry: unknown, p: Params, ctx: Parameters<AggType['parse']>[3]): ItemField {
  if (typeof entry === 'string') return fieldOf({ field: entry }, p, ctx);
  const inner = new Params(p.typeName, entry);
  const source = parseSource(inner, { script: false });
  const filter = parseIncludeExclude(inner, ctx.dialect);
  inner.done();
  return { source, filter };
}

export const frequentItemSetsType: AggType = {
  isBucket: false,
  parse(name, typeName, body, ctx): ItemSetParams {
    const p = new Params(typeName, body);
    const list = p.list('fields') ?? [];
    const minSize = positive(p, name, 'minimum_set_size') ?? 1;
    const minSupport = p.number('minimum_support') ?? 0.1;
    const size = positive(p, name, 'size') ?? 10;
    const filter = p.object('filter');
    p.string('execution_hint');
    p.done();
    if (list.length === 0) throw illegalArgumentError('Required [fields]');
    if (list.length > MAX_FIELDS) throw p.refusalError('fields', `[fields] must have at most ${MAX_FIELDS} elements, got ${list.length}`);
    if (minSupport <= 0 || minSupport > 1)
      throw p.refusalError('minimum_support', `[minimum_support] must be greater than 0 and less or equal to 1. Found [${minSupport}]`);
    const query = filter === null ? null : ctx.parseQuery(filter);
    return { fields: list.map((entry) => fieldOf(entry, p, ctx)), minSize, minSupport, size, query };
  },
  bind(spec, ctx): ValuesSource[] {
    return (spec.params as ItemSetParams).fields.map(({ source, filter }) => {
      const bound = bindSource(spec.typeName, source, ctx, ['keyword', 'numeric', 'date', 'boolean', 'ip']);
      if (filter) checkIncludeExclude(filter, bound, spec.name, ctx.index.mapping.dialect);
      return bound;
    });
  },
  plan(spec, _bound, segment): AggNode {
    const { query } = spec.params as ItemSetParams;
    const docs: AggNode = { op: 'docs', children: [] };
    return query === null ? docs : { op: 'filters', filters: [segment.planQuery(query)], other: false, children: [docs] };
  },
  merge(spec, all, parents, ctx) {
    const params = spec.params as ItemSetParams;
    const slices = params.query === null ? all : all.flatMap(innerSlice);
    const groups = docGroups(slices, parents);
    const columns = params.fields.map((_, f) => new TermKeys(all, (slice) => (slice.bound as ValuesSource[])[f], false, true));
    const tests = params.fields.map(({ filter }, f) => (filter ? testOf(filter, columns[f], all, ctx.nowMs) : null));
    return {
      at(parent) {
        const items: Array<{ readonly field: number; readonly key: MergeKey }> = [];
        const numbers = params.fields.map(() => new Map<MergeKey, number>());
        let left = MAX_VALUES;
        const transactions: number[][] = [];
        for (const { slice, segment, docs } of parent < 0 ? [] : groups[parent]) {
          for (const doc of docs) {
            if ((transactions.length & 1023) === 0) checkTurn();
            const transaction: number[] = [];
            (slice.bound as ValuesSource[]).forEach((source, field) => {
              const seen = new Set<number>();
              for (const raw of source.type ? segment.segment.values(source.field, doc) : []) {
                const key = columns[field].keyOf(slice, raw);
                let number = numbers[field].get(key);
                if (number === undefined) {
                  number = tests[field]?.(key) === false ? -1 : items.push({ field, key }) - 1;
                  numbers[field].set(key, number);
                }
                if (number >= 0 && !seen.has(number)) transaction.push(number);
                seen.add(number);
              }
            });
            left -= transaction.length;
            if (left < 0)
              throw illegalArgumentError(`the fields of [${spec.name}] have more than ${MAX_VALUES} values: aggregate fewer documents`);
            transactions.push(transaction);
          }
        }
        const total = transactions.length;
        const limits = { minCount: Math.max(1, Math.ceil(params.minSupport * total - 1e-9)), minSize: params.minSize, size: params.size };
        const sets = closedItemSets(transactions, items.length, limits);
        ctx.addBuckets(sets.length);
        const buckets = sets.map((set): OutBucket => {
          const key: MutableJsonObject = {};
          for (const number of set.items) {
            const { field, key: value } = items[number];
            const name = params.fields[field].source.field;
            const { json, text } = columns[field].show(value);
            const values = (Object.hasOwn(key, name) ? key[name] : []) as unknown[];
            setOwn(key, name, [...values, text ?? json]);
          }
          const fields: MutableJsonObject = { key, doc_count: set.count, support: jsonDouble(set.count / total) };
          return { key: '', name: '', fields, docCount: set.count, aggs: new Map() };
        });
        return new BucketsOut(spec, 'frequent_item_sets', buckets);
      },
    };
  },
};

/** The documents below the filter. */
function innerSlice(slice: Slice): Slice[] {
  if (slice.result.op !== 'buckets' || slice.result.children.length === 0) return [];
  const map = Int32Array.from(slice.result.buckets.parents, (parent) => (slice.map ? slice.map[parent] : parent));
  return [{ ...slice, result: slice.result.children[0], map }];
}

function testOf(filter: IncludeExclude, keys: TermKeys, slices: readonly Slice[], nowMs: number): (key: MergeKey) => boolean {
  if (slices.length === 0) return () => true;
  if (!keys.isText) {
    const test = numberFilter(filter, keys.source, nowMs);
    return (key) => test(key as number | bigint);
  }
  const test = termFilter(filter, keys.source);
  return (key) => test(Buffer.from(String(key), 'latin1'));
}
