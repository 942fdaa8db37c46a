// `_disk_usage`: what each field of an index takes on disk, by the structures that hold it.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { EngineContext } from '../core/context.ts';
import { type IndexTarget, shownMetas, TARGETS } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { shardsHeader } from './index-stats.ts';
import { openStates } from './maintenance.ts';

/** Bytes of a field, by structure. */
interface FieldUsage {
  inverted: number;
  stored: number;
  values: number;
  norms: number;
  vectors: number;
}

/**
 * Sizes of the fields in the segments that searches see, after a flush. What a shard stores besides its segments are the sources of its documents.
 * @throws ApiError illegal_argument_exception: the caller has not agreed to the cost; index_not_found_exception
 */
export async function diskUsage(
  ctx: EngineContext,
  target: IndexTarget,
  { runsExpensiveTasks, flushes }: { runsExpensiveTasks: boolean; flushes: boolean },
): Promise<MutableJsonObject> {
  if (!runsExpensiveTasks)
    throw illegalArgumentError(
      'analyzing the disk usage of an index is expensive and resource-intensive, the parameter [run_expensive_tasks] must be set to [true] in order for the task to be performed.',
    );
  const states = openStates(
    ctx,
    shownMetas(ctx, target, TARGETS.open).map(({ name }) => name),
  );
  if (flushes) await Promise.all(states.map((index) => ctx.flush(index, false)));
  const body: MutableJsonObject = { _shards: shardsHeader(states) };
  for (const index of states) setOwn(body, index.meta.name, await usageOf(ctx, index));
  return body;
}

async function usageOf(ctx: EngineContext, index: IndexState): Promise<MutableJsonObject> {
  const fields = new Map<string, FieldUsage>();
  let segmentBytes = 0;
  for (let shard = 0; shard < index.numberOfShards; shard++) {
    const snapshot = ctx.acquire(index, shard);
    try {
      for (const { sections } of snapshot.segments) {
        for (const { kind, field, bytes } of sections) {
          segmentBytes += bytes;
          addSection(index, fields, kind, field, bytes);
        }
      }
    } finally {
      snapshot.release();
    }
  }
  const storeBytes = (await ctx.shardStats(index)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  usageIn(fields, '_source').stored += Math.max(0, storeBytes - segmentBytes);
  const all = newUsage();
  for (const usage of fields.values()) for (const key of Object.keys(all) as (keyof FieldUsage)[]) all[key] += usage[key];
  const rendered: MutableJsonObject = {};
  for (const name of [...fields.keys()].sort()) setOwn(rendered, name, render(fields.get(name) ?? newUsage()));
  return { store_size: formatByteSize(storeBytes), store_size_in_bytes: storeBytes, all_fields: render(all), fields: rendered };
}

/** Counts one section of a segment. Sections of fields that the caller may not see count for none. */
function addSection(index: IndexState, fields: Map<string, FieldUsage>, kind: string, field: string | null, bytes: number): void {
  if (kind === 'ids') usageIn(fields, '_id').inverted += bytes;
  else if (kind === 'nested') usageIn(fields, '_nested_path').inverted += bytes;
  else if (field !== null && (field.startsWith('_') || index.mapping.field(field))) {
    const usage = usageIn(fields, field);
    if (kind === 'norms') usage.norms += bytes;
    else if (kind === 'column') usage.values += bytes;
    else if (kind === 'vectors') usage.vectors += bytes;
    else if (kind !== 'binary') usage.inverted += bytes;
    else if (index.mapping.field(field)?.typeName === 'dense_vector') usage.vectors += bytes;
    else usage.values += bytes;
  }
}

function newUsage(): FieldUsage {
  return { inverted: 0, stored: 0, values: 0, norms: 0, vectors: 0 };
}

function usageIn(fields: Map<string, FieldUsage>, name: string): FieldUsage {
  let usage = fields.get(name);
  if (usage === undefined) fields.set(name, (usage = newUsage()));
  return usage;
}

/** Numbers have no structure of their own for ranges, and term vectors are computed from the source: both are always 0. */
function render({ inverted, stored, values, norms, vectors }: FieldUsage): MutableJsonObject {
  return {
    ...sized('total', inverted + stored + values + norms + vectors),
    inverted_index: sized('total', inverted),
    ...sized('stored_fields', stored),
    ...sized('doc_values', values),
    ...sized('points', 0),
    ...sized('norms', norms),
    ...sized('term_vectors', 0),
    ...sized('knn_vectors', vectors),
  };
}

function sized(name: string, bytes: number): MutableJsonObject {
  return { [name]: formatByteSize(bytes), [`${name}_in_bytes`]: bytes };
}
