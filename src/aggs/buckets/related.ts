// children and parent: from documents of a join field to the documents related to them, whether these match the query or not. They are known once
// a shard has been searched, so the sub-aggregations run over them afterwards.
import type { AggNode } from '../../plan/agg-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { illegalArgumentError } from '../errors.ts';
import { eachOfType, type Relation, relationOf } from '../join-relation.ts';
import { docGroups } from '../metrics/documents.ts';
import { Params } from '../params.ts';
import { mergeChildren } from '../reduce/merge.ts';
import { SingleBucketOut } from '../reduce/out.ts';
import type { AggType, Bindings, SegmentScope, Slice } from '../types.ts';

interface BoundRelation {
  /** null if the index does not have the join field. */
  readonly relation: Relation | null;
  /** All segments of the search, since related documents may be in those without a match. */
  readonly segments: Set<SegmentScope>;
}

function relatedType(typeName: 'children' | 'parent'): AggType {
  return {
    isBucket: true,
    parse(name, _type, body): { child: string } {
      const p = new Params(typeName, body);
      const child = p.name('type');
      p.done();
      if (child === null) throw illegalArgumentError(`Missing [child_type] field for ${typeName} aggregation [${name}]`);
      return { child };
    },
    bind: (spec, ctx): BoundRelation => ({
      relation: relationOf((spec.params as { child: string }).child, typeName, ctx.index.mapping),
      segments: new Set(),
    }),
    note({ segments }: BoundRelation, segment) {
      segments.add(segment);
    },
    plan(_spec, { segments }: BoundRelation, segment): AggNode {
      segments.add(segment);
      return { op: 'docs', children: [] };
    },
    merge(spec, slices, parents, ctx) {
      const groups = docGroups(slices, parents);
      const targets = ctx.bindings.flatMap((bindings) => targetsOf(bindings, bindings.get(spec) as BoundRelation));
      return {
        at(parent) {
          const ids = new Map<number, Set<string>>();
          for (const { slice, segment, docs } of parent < 0 ? [] : groups[parent]) {
            const ofShard = ids.get(segment.shard) ?? new Set();
            ids.set(segment.shard, ofShard);
            addIds((slice.bound as BoundRelation).relation, segment.segment, docs, ofShard);
          }
          const below: Slice[] = [];
          let docCount = 0;
          for (const { segment, bindings, byId } of targets) {
            const docs = related(byId, ids.get(segment.shard));
            if (docs.length === 0) continue;
            docCount += docs.length;
            const children = segment.collectChildren(spec, bindings, docs, null);
            const buckets = { parents: Uint32Array.of(0), keys: Float64Array.of(0), docCounts: Uint32Array.of(docs.length) };
            below.push({ segment, bindings, bound: bindings.get(spec), map: null, result: { op: 'buckets', buckets, children } });
          }
          const maps = below.map(() => Int32Array.of(0));
          ctx.addBuckets(1);
          return new SingleBucketOut(spec, typeName, docCount, mergeChildren(spec, below, maps, 1, ctx).at(docCount > 0 ? 0 : -1));
        },
      };
    },
  };
}

function addIds(relation: Relation | null, segment: SegmentReader, docs: Uint32Array, into: Set<string>): void {
  if (relation) eachOfType(relation, segment, relation.from, docs, (_doc, id) => into.add(id));
}

/** The documents on the other side of the relation in one segment. */
interface Targets {
  readonly segment: SegmentScope;
  readonly bindings: Bindings;
  /** Reads the documents on first use, by the id of the parent. */
  byId(): ReadonlyMap<string, readonly number[]>;
}

function targetsOf(bindings: Bindings, { relation, segments }: BoundRelation): Targets[] {
  if (relation === null) return [];
  return [...segments].map((segment) => {
    let byId: Map<string, number[]> | null = null;
    return {
      segment,
      bindings,
      byId() {
        byId ??= readTargets(relation, segment);
        return byId;
      },
    };
  });
}

function readTargets(relation: Relation, { segment, liveDocs }: SegmentScope): Map<string, number[]> {
  const targets = new Map<string, number[]>();
  eachOfType(relation, segment, relation.to, liveDocs(), (doc, id) => {
    const docs = targets.get(id);
    if (docs) docs.push(doc);
    else targets.set(id, [doc]);
  });
  return targets;
}

function related(byId: Targets['byId'], ids: ReadonlySet<string> | undefined): Uint32Array {
  const docs: number[] = [];
  for (const id of ids ?? []) for (const doc of byId().get(id) ?? []) docs.push(doc);
  return Uint32Array.from(docs).sort();
}

export const childrenType = relatedType('children');
export const parentType = relatedType('parent');
