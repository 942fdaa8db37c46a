// Moves indices through the phases of their lifecycle policies.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { errorObject, toApiError } from '../../errors/error-body.ts';
import type { IndexMeta, LifecyclePolicy, LifecycleState } from '../../metadata/cluster-state.ts';
import { indexLifecyclesOf, lifecyclePolicy } from '../../metadata/policies/index-lifecycles.ts';
import { actionsOf, minAgeMs, PHASES, phaseOf, phasesOf, STEPS } from '../../metadata/policies/lifecycle-policy.ts';
import type { EngineContext } from '../core/context.ts';
import { performAction } from './perform-action.ts';

export const COMPLETE = 'complete';
export const ERROR_STEP = 'ERROR';
/** Upper bound of the steps of a policy. */
const MAX_STEPS = 64;

/** Start of an index's age: its rollover, its configured origination date, or its creation. */
export function lifecycleDateMs({ creationDateMs, rollovers, settings, name }: IndexMeta): number {
  const given = Number(settings['index.lifecycle.origination_date'] ?? -1);
  if (given >= 0) return given;
  if (settings['index.lifecycle.parse_origination_date'] === 'true') {
    const match = /^.*-(\d{4})\.(\d\d)\.(\d\d)(?:-\d+)?$/.exec(name);
    if (match) return Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  }
  const rolled = Object.values(rollovers ?? {}).map(({ timeMs }) => timeMs);
  return rolled.length > 0 ? Math.max(...rolled) : creationDateMs;
}

/** The last run of each node in this process, by node id. A step fails if another run is performing it, so that runs follow each other. */
const runs = new Map<string, Promise<void>>();

/**
 * Performs all due steps of the policies of all indices, after earlier runs.
 * @param atPoll  also check conditions that need statistics, and retry failed steps
 */
export async function runPolicies(ctx: EngineContext, atPoll: boolean, isStopped: () => boolean): Promise<void> {
  const run = (runs.get(ctx.nodeId) ?? Promise.resolve()).then(() => runIndices(ctx, atPoll, isStopped));
  const ended = run.catch(() => undefined);
  runs.set(ctx.nodeId, ended);
  try {
    await run;
  } finally {
    if (runs.get(ctx.nodeId) === ended) runs.delete(ctx.nodeId);
  }
}

async function runIndices(ctx: EngineContext, atPoll: boolean, isStopped: () => boolean): Promise<void> {
  for (const name of Object.keys(ctx.cluster.indices)) {
    if (isStopped() || indexLifecyclesOf(ctx.cluster).isStopped) return;
    await runIndex(ctx, name, atPoll);
  }
}

async function runIndex(ctx: EngineContext, name: string, atPoll: boolean): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (!Object.hasOwn(ctx.cluster.indices, name)) return;
    const meta = ctx.cluster.indices[name];
    const policyName = String(meta.settings['index.lifecycle.name'] ?? '');
    const policy = lifecyclePolicy(ctx.cluster, policyName);
    if (policy === null) return;
    const before = meta.lifecycle ?? null;
    const after = await advance({ ctx, meta, policyName, policy, atPoll: atPoll && (steps === 0 || before?.step !== ERROR_STEP) });
    if (after === null) return;
    await ctx.command('setLifecycleStates', { changes: [{ index: name, before, after }] });
    if (after.step === ERROR_STEP) return;
  }
}

interface Step {
  readonly ctx: EngineContext;
  readonly meta: IndexMeta;
  readonly policyName: string;
  readonly policy: LifecyclePolicy;
  readonly atPoll: boolean;
}

/** The next state of an index; null if it stays where it is. */
async function advance({ ctx, meta, policyName, policy, atPoll }: Step): Promise<LifecycleState | null> {
  const nowMs = Date.now();
  const state = meta.lifecycle;
  if (state === undefined || state.policy !== policyName) return firstState(policyName, policy, nowMs);
  if (state.step === ERROR_STEP)
    return atPoll ? { ...state, step: state.failedStep ?? COMPLETE, stepMs: nowMs, retries: state.retries + 1, info: null } : null;
  if (state.action === COMPLETE) return nextPhase(meta, state, policy, nowMs);
  const definition = definitionOf(state, policy);
  const actions = isObject(definition.actions) ? definition.actions : {};
  const given = actions[state.action];
  try {
    const params = isObject(given) ? given : {};
    const outcome = await performAction(state.action, { ctx, meta, state, params, atPoll, nowMs });
    if (outcome.kind === 'gone') return null;
    if (outcome.kind === 'done') return nextAction(state, definition, nowMs);
    const isSame = JSON.stringify(outcome.info) === JSON.stringify(state.info) && state.failedStep === null;
    return isSame ? null : { ...state, info: outcome.info, failedStep: null };
  } catch (error) {
    const failure = toApiError(error);
    const info = errorObject(failure) as JsonObject;
    const { type, reason } = info;
    return { ...state, step: ERROR_STEP, stepMs: nowMs, failedStep: state.step, info: { type, reason } as JsonObject };
  }
}

export function firstState(policyName: string, policy: LifecyclePolicy, nowMs: number): LifecycleState {
  return {
    policy: policyName,
    phase: 'new',
    action: COMPLETE,
    step: COMPLETE,
    phaseMs: nowMs,
    actionMs: nowMs,
    stepMs: nowMs,
    definition: null,
    version: policy.version,
    modifiedMs: policy.modifiedMs,
    failedStep: null,
    retries: 0,
    info: null,
  };
}

/** The phase from the current policy if it still has the current action; otherwise as cached when the index entered it. */
function definitionOf({ phase, action, definition }: LifecycleState, { policy }: LifecyclePolicy): JsonObject {
  const current = phaseOf(policy, phase);
  return actionsOf(phase, current).includes(action) ? current : (definition ?? {});
}

function nextAction(state: LifecycleState, definition: JsonObject, nowMs: number): LifecycleState {
  const actions = actionsOf(state.phase, definition);
  return atAction(state, actions[actions.indexOf(state.action) + 1] ?? COMPLETE, nowMs);
}

/** A state at the beginning of an action. */
function atAction(state: LifecycleState, action: string, nowMs: number): LifecycleState {
  const step = action === COMPLETE ? COMPLETE : STEPS[action];
  return { ...state, action, step, actionMs: nowMs, stepMs: nowMs, failedStep: null, retries: 0, info: null };
}

/** The state at the beginning of the next phase, or null while the index is too young for it. */
function nextPhase(meta: IndexMeta, state: LifecycleState, policy: LifecyclePolicy, nowMs: number): LifecycleState | null {
  const at = PHASES.indexOf(state.phase as (typeof PHASES)[number]);
  const next = phasesOf(policy.policy).find((phase) => PHASES.indexOf(phase as (typeof PHASES)[number]) > at);
  if (next === undefined) return null;
  const definition = phaseOf(policy.policy, next);
  if (nowMs - lifecycleDateMs(meta) < minAgeMs(definition)) return null;
  return enterPhase(state, next, actionsOf(next, definition)[0] ?? COMPLETE, policy, nowMs);
}

/** A state at the beginning of an action of a phase. */
export function enterPhase(state: LifecycleState, phase: string, action: string, policy: LifecyclePolicy, nowMs: number): LifecycleState {
  const { version, modifiedMs } = policy;
  return atAction({ ...state, phase, phaseMs: nowMs, definition: phaseOf(policy.policy, phase), version, modifiedMs }, action, nowMs);
}
