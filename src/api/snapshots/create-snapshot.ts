// Snapshots: create, clone, delete.
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { resolveDateMathName } from '../../metadata/date-math-name.ts';
import { chosenFeatures, FEATURES, streamsIn } from '../../metadata/indices/snapshot-content.ts';
import { snapshotMissingError } from '../../snapshots/repository-errors.ts';
import { checkSnapshotName } from '../../snapshots/snapshot-names.ts';
import type { EngineContext } from '../core/context.ts';
import { readWildcardStates, TARGETS, targetNames } from '../core/index-names.ts';
import { showSnapshot } from './get-snapshots.ts';
import { repositoryOf } from './repositories.ts';
import { flag, nameList, objectOrNull } from './snapshot-body.ts';
import { filterIndices } from './snapshot-indices.ts';

/** Limit of Elasticsearch for the bytes of `metadata`. */
const MAX_METADATA_BYTES = 1024;

/** Target names that mean all indices of the cluster: those of a snapshot without `indices` include hidden ones. */
const ALL_STATES = ['open', 'closed', 'hidden'];

/** `{ accepted }`, or `{ snapshot }` if the request waits. */
export async function createSnapshot(
  ctx: EngineContext,
  request: { repository: string; snapshot: string; body: JsonObject; wait: boolean },
): Promise<MutableJsonObject> {
  const { repository, body } = request;
  const snapshot = resolveDateMathName(request.snapshot, Date.now());
  const metadata = objectOrNull(body.metadata, 'malformed metadata, should be an object');
  const metadataBytes = metadata === null ? 0 : Buffer.byteLength(writeJson(metadata));
  if (metadataBytes > MAX_METADATA_BYTES)
    throw validationFailedError([`metadata must be smaller than ${MAX_METADATA_BYTES} bytes, but was [${metadataBytes}]`]);
  const expression = nameList(body.indices, 'indices');
  const includeGlobalState = flag(body.include_global_state, true);
  const features = chosenFeatures(nameList(body.feature_states, 'feature_states'), includeGlobalState, Object.keys(FEATURES));
  checkSnapshotName(repository, snapshot);
  repositoryOf(ctx, repository);
  const states =
    body.expand_wildcards === undefined ? ALL_STATES : readWildcardStates(nameList(body.expand_wildcards, 'expand_wildcards').join(','));
  const indices = targetNames(
    ctx,
    { index: expression.join(','), ignoreUnavailable: flag(body.ignore_unavailable, false), allowNoIndices: true, expandWildcards: states },
    TARGETS.any,
  );
  const info = await ctx.snapshots.create({
    repository,
    snapshot,
    indices,
    metadata,
    partial: flag(body.partial, false),
    dataStreams: streamsIn(ctx.cluster, expression, indices),
    features,
    includeGlobalState,
    wait: request.wait,
  });
  return info === null
    ? { accepted: true }
    : { snapshot: showSnapshot(repository, info, { withIndices: true, withRepository: true, withDetails: false }) };
}

/** `{ acknowledged }` when the clone is complete. */
export async function cloneSnapshot(
  ctx: EngineContext,
  request: { repository: string; source: string; target: string; body: JsonObject },
): Promise<unknown> {
  const { repository, source, body } = request;
  const target = resolveDateMathName(request.target, Date.now());
  const expression = nameList(body.indices, 'indices');
  if (expression.length === 0) throw validationFailedError(['indices patterns are empty']);
  checkSnapshotName(repository, target);
  const info = (await ctx.snapshots.list(repository)).find(({ name }) => name === source);
  if (info === undefined) throw snapshotMissingError(repository, source);
  const indices = filterIndices(
    info.indices.map(({ name }) => name),
    expression,
    flag(body.ignore_unavailable, false),
  );
  const failed = info.failures.find(({ index }) => indices.includes(index));
  if (failed) throw illegalArgumentError(`Can't clone index [${failed.index}] because its snapshot was not successful.`);
  await ctx.snapshots.clone({ repository, source, target, indices });
  return { acknowledged: true };
}

export async function deleteSnapshots(ctx: EngineContext, request: { repository: string; snapshots: readonly string[] }): Promise<unknown> {
  repositoryOf(ctx, request.repository);
  await ctx.snapshots.delete(request.repository, request.snapshots);
  return { acknowledged: true };
}
