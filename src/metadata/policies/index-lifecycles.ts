// Commands on index lifecycles: policies, start and stop, the state of an index, and the exchange of an index for a shrunken copy.
import type { JsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ClusterState, IndexLifecycles, IndexMeta, LifecyclePolicy, LifecycleState } from '../cluster-state.ts';
import { dataStreamOf, dataStreamsOf } from '../indices/data-streams.ts';
import { ACKNOWLEDGED, indexOf, type Reducer, withIndices } from '../reducer.ts';
import { normalizePolicy } from './lifecycle-policy.ts';

const MAX_POLICIES = 1000;
const NO_LIFECYCLES: IndexLifecycles = { isStopped: false, policies: {} };

export function indexLifecyclesOf(state: Pick<ClusterState, 'indexLifecycles'>): IndexLifecycles {
  return state.indexLifecycles ?? NO_LIFECYCLES;
}

/** True if a policy manages an index of the cluster. */
export function hasIndexLifecycles({ indexLifecycles, indices }: ClusterState): boolean {
  return indexLifecycles !== undefined && Object.values(indices).some(({ settings }) => settings['index.lifecycle.name']);
}

/** The policy of this name, or null. */
export function lifecyclePolicy(state: Pick<ClusterState, 'indexLifecycles'>, name: string): LifecyclePolicy | null {
  const { policies } = indexLifecyclesOf(state);
  return Object.hasOwn(policies, name) ? policies[name] : null;
}

export function lifecycleNotFoundError(name: string): ApiError {
  return new ApiError('resource_not_found_exception', 404, `Lifecycle policy not found: ${name}`, {
    details: { 'resource.type': 'lifecycle_policy', 'resource.id': name },
  });
}

function withLifecycles(state: ClusterState, change: Partial<IndexLifecycles>): ClusterState {
  return { ...state, version: state.version + 1, indexLifecycles: { ...indexLifecyclesOf(state), ...change } };
}

export const putLifecyclePolicy: Reducer<{ readonly name: string; readonly policy: JsonObject }> = (state, { name, policy }, env) => {
  if (/[,\s]/.test(name) || name.startsWith('_') || Buffer.byteLength(name) > 255)
    throw illegalArgumentError(
      `invalid policy name [${name}]: must not contain ',' or whitespace, start with '_' or be longer than 255 bytes`,
    );
  const normalized = normalizePolicy(policy);
  const { policies } = indexLifecyclesOf(state);
  const before = lifecyclePolicy(state, name);
  if (before === null && Object.keys(policies).length >= MAX_POLICIES)
    throw illegalArgumentError(`there are ${MAX_POLICIES} lifecycle policies already`);
  const next = { version: (before?.version ?? 0) + 1, modifiedMs: env.nowMs, policy: normalized };
  return { state: withLifecycles(state, { policies: { ...policies, [name]: next } }), response: ACKNOWLEDGED };
};

export const deleteLifecyclePolicy: Reducer<{ readonly name: string }> = (state, { name }) => {
  if (lifecyclePolicy(state, name) === null) throw lifecycleNotFoundError(name);
  const users = Object.values(state.indices).filter(({ settings }) => settings['index.lifecycle.name'] === name);
  if (users.length > 0)
    throw illegalArgumentError(
      `Cannot delete policy [${name}]. It is in use by one or more indices: [${users.map((meta) => meta.name).join(', ')}]`,
    );
  const { [name]: _, ...policies } = indexLifecyclesOf(state).policies;
  return { state: withLifecycles(state, { policies }), response: ACKNOWLEDGED };
};

export const setIndexLifecycleMode: Reducer<{ readonly isStopped: boolean }> = (state, { isStopped }) => ({
  state: indexLifecyclesOf(state).isStopped === isStopped ? state : withLifecycles(state, { isStopped }),
  response: ACKNOWLEDGED,
});

/**
 * Sets where indices are in their policies.
 * @param args.changes  `before` is the state that the change is based on: a change of another state is ignored
 */
export const setLifecycleStates: Reducer<{
  readonly changes: ReadonlyArray<{
    readonly index: string;
    readonly before: LifecycleState | null;
    readonly after: LifecycleState | null;
  }>;
}> = (state, { changes }) => {
  const changed = changes.flatMap(({ index, before, after }): IndexMeta[] => {
    const meta = Object.hasOwn(state.indices, index) ? state.indices[index] : null;
    if (meta === null || keyOf(meta.lifecycle ?? null) !== keyOf(before)) return [];
    const { lifecycle: _, ...rest } = meta;
    return [after === null ? rest : { ...rest, lifecycle: after }];
  });
  return { state: changed.length === 0 ? state : withIndices(state, changed), response: ACKNOWLEDGED };
};

function keyOf(state: LifecycleState | null): string {
  return state === null ? '' : `${state.policy} ${state.phase} ${state.action} ${state.step} ${state.stepMs}`;
}

/** Removes policies from indices. */
export const removeLifecycle: Reducer<{ readonly indices: readonly string[] }> = (state, { indices }) => {
  const changed = indices.map((name): IndexMeta => {
    const { lifecycle: _, ...meta } = indexOf(state, name);
    const settings = Object.fromEntries(Object.entries(meta.settings).filter(([key]) => !key.startsWith('index.lifecycle.')));
    return { ...meta, settings, settingsVersion: meta.settingsVersion + 1 };
  });
  return { state: changed.length === 0 ? state : withIndices(state, changed), response: ACKNOWLEDGED };
};

/** Puts a shrunken copy in the place of an index: it gets its aliases, its name as an alias, its place in a data stream, and its lifecycle. */
export const replaceIndex: Reducer<{ readonly source: string; readonly target: string; readonly lifecycle: LifecycleState }> = (
  state,
  { source, target, lifecycle },
) => {
  const from = indexOf(state, source);
  const to = indexOf(state, target);
  const stream = from.dataStream === undefined ? null : dataStreamOf(state, from.dataStream);
  const aliases = stream === null ? { ...from.aliases, [source]: {} } : {};
  const copy: IndexMeta = {
    ...to,
    aliases,
    aliasesVersion: to.aliasesVersion + 1,
    lifecycle,
    ...(from.rollovers === undefined ? {} : { rollovers: from.rollovers }),
    ...(stream === null ? {} : { dataStream: stream.name }),
    creationDateMs: from.creationDateMs,
  };
  const next = withIndices(state, [copy], [source]);
  if (stream === null) return { state: next, response: ACKNOWLEDGED };
  const indices = stream.indices.map((name) => (name === source ? target : name));
  return { state: { ...next, dataStreams: { ...dataStreamsOf(state), [stream.name]: { ...stream, indices } } }, response: ACKNOWLEDGED };
};
