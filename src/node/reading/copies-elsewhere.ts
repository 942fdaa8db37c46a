// Where a reader finds copies of indices of which its node has none that may be searched.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { HeldElsewhere } from '../../errors/held-elsewhere.ts';
import { IndicesApart } from '../../errors/indices-apart.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { hasStartedCopy } from '../../metadata/copies.ts';
import type { LaneRequest, LaneResponse } from '../../rest/core/lane.ts';
import type { CallerRef } from '../../security/caller.ts';
import type { CopyView } from './copy-view.ts';

/** As `EngineContext.askNode`. @param send  sends a request to the node */
export async function askForPart(
  send: (request: LaneRequest) => Promise<LaneResponse>,
  part: JsonObject,
  caller: CallerRef | null,
): Promise<Uint8Array> {
  const { status, body } = await send({
    id: 0,
    method: 'POST',
    path: '/_search',
    query: '',
    headers: {},
    remoteAddress: '',
    body: null,
    caller,
    action: 'indices:data/read/search',
    part,
    sender: caller?.user ?? '',
    timeoutMs: null,
  });
  if (status === 200) return body;
  const outcome: unknown = parseJsonBytes(body);
  const { failure } = outcome as { failure?: ApiErrorData };
  throw failure === undefined
    ? new ApiError('node_disconnected_exception', 503, `the node answered with status ${status}`)
    : ApiError.fromData(failure);
}

/** How long a request waits for a copy that may be searched: that of a new index, or of one whose nodes are lost. */
const WAIT_MS = 10_000;
const PAUSE_MS = 100;

/** Live nodes with copies of all these indices that may be searched. */
export function holdersOf(view: CopyView, indices: readonly Pick<IndexMeta, 'uuid'>[]): string[] {
  const cluster = view.cluster();
  return view.nodes().flatMap(({ id }) => (indices.every(({ uuid }) => hasStartedCopy(cluster, uuid, id)) ? [id] : []));
}

/**
 * The error for a request that reads indices together that this node does not all have.
 * @param error  of a request that finds none @returns illegal_argument_exception if no node has all, although each is on some node
 */
export function elsewhereError(view: CopyView, indices: readonly IndexMeta[], error: ApiError): ApiError {
  const isAnywhere = (index: IndexMeta) => holdersOf(view, [index]).length > 0;
  const findAll = (tried: ReadonlySet<string>) => find(view, indices, tried);
  if (indices.length === 1 || !indices.some(isAnywhere) || holdersOf(view, indices).length > 0) return new HeldElsewhere(findAll, error);
  return indices.every(isAnywhere) ? new IndicesApart(() => null, spreadError(indices)) : new IndicesApart(findAll, error);
}

function spreadError(indices: readonly IndexMeta[]): ApiError {
  const names = indices.map(({ name }) => name);
  const shown = names.length > 10 ? `${names.slice(0, 10).join(', ')}, ...` : names.join(', ');
  return illegalArgumentError(
    `no node has copies of all of [${shown}], and this request cannot read indices of several nodes: request them one by one, or raise [index.number_of_replicas]`,
  );
}

async function find(view: CopyView, indices: readonly IndexMeta[], tried: ReadonlySet<string>): Promise<string | null> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const holders = holdersOf(view, indices).filter((id) => !tried.has(id));
    if (holders.length > 0) return holders[Math.floor(Math.random() * holders.length)];
    if (performance.now() > until) return null;
    await sleep(PAUSE_MS);
    // The log may be out of reach for a moment.
    await view.catchUp().catch(() => undefined);
  }
}
