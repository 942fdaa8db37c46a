// Index lifecycle policies in the form of the API, and moving indices between their steps.
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { formatDuration } from '../../common/text/time-unit.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IndexMeta, LifecycleState } from '../../metadata/cluster-state.ts';
import { dataStreamsOf } from '../../metadata/indices/data-streams.ts';
import { composableParts, composableTemplate } from '../../metadata/indices/templates.ts';
import { indexLifecyclesOf, lifecycleNotFoundError, lifecyclePolicy } from '../../metadata/policies/index-lifecycles.ts';
import { actionsOf, PHASES, phaseOf, STEPS } from '../../metadata/policies/lifecycle-policy.ts';
import type { Acknowledged } from '../../metadata/reducer.ts';
import type { EngineContext } from '../core/context.ts';
import { COMPLETE, ERROR_STEP, enterPhase, firstState, lifecycleDateMs } from './run-policies.ts';

const POLICY = 'index.lifecycle.name';

/** `GET _ilm/policy`. @param names  names and patterns; empty for all. @throws ApiError resource_not_found_exception: a name without a policy */
export function getLifecyclePolicies(ctx: EngineContext, names: readonly string[]): MutableJsonObject {
  const { policies } = indexLifecyclesOf(ctx.cluster);
  for (const name of names) if (!/[*]|^_all$/.test(name) && !Object.hasOwn(policies, name)) throw lifecycleNotFoundError(name);
  const isNamed = (id: string): boolean => names.length === 0 || names.some((name) => name === '_all' || matchesPattern(name, id));
  const shown = Object.entries(policies)
    .filter(([id]) => isNamed(id))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    shown.map(([id, { version, modifiedMs, policy }]) => [
      id,
      { version, modified_date: new Date(modifiedMs).toISOString(), policy, in_use_by: usersOf(ctx, id) },
    ]),
  );
}

/** The users of a policy that are visible to the caller. */
function usersOf({ cluster }: EngineContext, id: string): MutableJsonObject {
  const templateUses = (name: string): boolean => composableParts(cluster, name).settings[POLICY] === id;
  const streams = Object.keys(dataStreamsOf(cluster)).filter((name) => {
    const template = composableTemplate(cluster, name);
    return template !== null && templateUses(template);
  });
  return {
    indices: Object.values(cluster.indices).flatMap(({ name, settings }) => (settings[POLICY] === id ? [name] : [])),
    data_streams: streams,
    composable_templates: Object.keys(cluster.indexTemplates).filter(templateUses),
  };
}

export interface ExplainOptions {
  readonly onlyErrors: boolean;
  readonly onlyManaged: boolean;
  /** Also show dates as text. */
  readonly human: boolean;
}

/** `GET {index}/_ilm/explain`. */
export function explainPolicies(ctx: EngineContext, metas: readonly IndexMeta[], options: ExplainOptions): MutableJsonObject {
  const shown = metas.filter(({ settings, lifecycle }) => {
    if (options.onlyErrors) return lifecycle?.step === ERROR_STEP;
    return !options.onlyManaged || settings[POLICY] !== undefined;
  });
  return { indices: Object.fromEntries(shown.map((meta) => [meta.name, explainIndex(ctx, meta, options.human)])) };
}

function explainIndex(ctx: EngineContext, meta: IndexMeta, human: boolean): MutableJsonObject {
  const name = meta.settings[POLICY];
  if (name === undefined || name === '') return { index: meta.name, managed: false };
  const nowMs = Date.now();
  const date = (key: string, ms: number): MutableJsonObject => ({
    ...(human ? { [key]: new Date(ms).toISOString() } : {}),
    [`${key}_millis`]: ms,
  });
  const state = meta.lifecycle;
  const head = {
    index: meta.name,
    managed: true,
    policy: name,
    ...date('index_creation_date', meta.creationDateMs),
    time_since_index_creation: formatDuration(nowMs - meta.creationDateMs),
  };
  if (state === undefined || state.policy !== name)
    return lifecyclePolicy(ctx.cluster, String(name)) === null
      ? { ...head, step_info: { type: 'illegal_argument_exception', reason: `policy [${String(name)}] does not exist` } }
      : head;
  return {
    ...head,
    ...date('lifecycle_date', lifecycleDateMs(meta)),
    age: formatDuration(Math.max(0, nowMs - lifecycleDateMs(meta))),
    phase: state.phase,
    ...date('phase_time', state.phaseMs),
    action: state.action,
    ...date('action_time', state.actionMs),
    step: state.step,
    ...date('step_time', state.stepMs),
    ...(state.step === ERROR_STEP
      ? { failed_step: state.failedStep, is_auto_retryable_error: true, failed_step_retry_count: state.retries }
      : {}),
    ...(state.info === null ? {} : { step_info: state.info }),
    phase_execution: {
      policy: state.policy,
      ...(state.definition === null ? {} : { phase_definition: state.definition }),
      version: state.version,
      ...(human ? { modified_date: new Date(state.modifiedMs).toISOString() } : {}),
      modified_date_in_millis: state.modifiedMs,
    },
  };
}

interface StepKey {
  readonly phase: string;
  readonly action: string;
  readonly name: string;
}

const keyText = ({ phase, action, name }: StepKey): string => JSON.stringify({ phase, action, name });

/** `_ilm/move/{index}`. @throws ApiError illegal_argument_exception: the index is at another step, or there is no such step */
export async function moveToStep(ctx: EngineContext, meta: IndexMeta, body: JsonObject): Promise<Acknowledged> {
  const { current_step: currentBody, next_step: nextBody } = body;
  if (!isObject(currentBody) || !isObject(nextBody)) throw illegalArgumentError('Required [current_step, next_step]');
  const policyName = String(meta.settings[POLICY] ?? '');
  const policy = lifecyclePolicy(ctx.cluster, policyName);
  if (policy === null) throw illegalArgumentError(`index [${meta.name}] is not associated with an Index Lifecycle Policy`);
  const nowMs = Date.now();
  const state = meta.lifecycle ?? firstState(policyName, policy, nowMs);
  const current = { phase: String(currentBody.phase), action: String(currentBody.action), name: String(currentBody.name) };
  const actual = { phase: state.phase, action: state.action, name: state.step };
  if (keyText(current) !== keyText(actual))
    throw illegalArgumentError(`index [${meta.name}] is not on current step [${keyText(current)}], currently: [${keyText(actual)}]`);
  const phase = String(nextBody.phase);
  const definition = phaseOf(policy.policy, phase);
  const actions = PHASES.includes(phase as (typeof PHASES)[number]) ? actionsOf(phase, definition) : [];
  const action = String(nextBody.action ?? actions[0] ?? COMPLETE);
  const isKnown = action === COMPLETE ? isObject(policy.policy.phases) && phase in policy.policy.phases : actions.includes(action);
  const step = action === COMPLETE ? COMPLETE : STEPS[action];
  if (!isKnown || (nextBody.name !== undefined && nextBody.name !== step))
    throw illegalArgumentError(
      `step [${keyText({ phase, action, name: String(nextBody.name ?? step) })}] for index [${meta.name}] with policy [${policyName}] does not exist`,
    );
  const after = enterPhase(state, phase, action, policy, nowMs);
  return ctx.command('setLifecycleStates', { changes: [{ index: meta.name, before: meta.lifecycle ?? null, after }] });
}

/** `{index}/_ilm/retry`. @throws ApiError illegal_argument_exception: an index that has not failed */
export async function retryFailed(ctx: EngineContext, metas: readonly IndexMeta[]): Promise<Acknowledged> {
  const changes = metas.map(({ name, lifecycle }) => {
    if (lifecycle?.step !== ERROR_STEP)
      throw illegalArgumentError(
        `cannot retry an action for an index [${name}] that has not encountered an error when running a Lifecycle Policy`,
      );
    const after: LifecycleState = {
      ...lifecycle,
      step: lifecycle.failedStep ?? COMPLETE,
      stepMs: Date.now(),
      failedStep: null,
      retries: 0,
      info: null,
    };
    return { index: name, before: lifecycle, after };
  });
  return ctx.command('setLifecycleStates', { changes });
}

/** `{index}/_ilm/remove`. */
export async function removePolicies(ctx: EngineContext, indices: readonly string[]): Promise<MutableJsonObject> {
  await ctx.command('removeLifecycle', { indices });
  return { has_failures: false, failed_indexes: [] };
}

export function lifecycleStatus({ cluster }: EngineContext): MutableJsonObject {
  return { operation_mode: indexLifecyclesOf(cluster).isStopped ? 'STOPPED' : 'RUNNING' };
}
