// Definitions of index lifecycle policies: phases, their actions in the order in which they run, and the parameters of each.
// Source: https://www.elastic.co/guide/en/elasticsearch/reference/8.15/ilm-index-lifecycle.html

import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { parseByteSize } from '../../common/text/byte-size.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

export const PHASES = ['hot', 'warm', 'cold', 'frozen', 'delete'] as const;

/** Actions of each phase in the order in which they run. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  hot: ['set_priority', 'unfollow', 'rollover', 'readonly', 'downsample', 'shrink', 'forcemerge', 'searchable_snapshot'],
  warm: ['set_priority', 'unfollow', 'readonly', 'downsample', 'allocate', 'migrate', 'shrink', 'forcemerge'],
  cold: ['set_priority', 'unfollow', 'readonly', 'downsample', 'searchable_snapshot', 'allocate', 'migrate', 'freeze'],
  frozen: ['unfollow', 'searchable_snapshot'],
  delete: ['wait_for_snapshot', 'delete'],
};
const REFUSED = ['downsample', 'searchable_snapshot', 'freeze'];
const CONDITION = /^(max|min)_(age|docs|size|primary_shard_size|primary_shard_docs)$/;

/** The step of each action by the name that Elasticsearch gives to the one that waits or works. */
export const STEPS: Readonly<Record<string, string>> = {
  set_priority: 'set_priority',
  unfollow: 'unfollow-follower-index',
  rollover: 'check-rollover-ready',
  readonly: 'readonly',
  allocate: 'allocate',
  migrate: 'migrate',
  shrink: 'shrink',
  forcemerge: 'forcemerge',
  wait_for_snapshot: 'wait-for-snapshot',
  delete: 'delete',
};

/** The actions of a phase that a policy defines, in their order. Phases from hot to cold migrate data unless the policy says otherwise. */
export function actionsOf(phase: string, definition: JsonObject): string[] {
  const given = isObject(definition.actions) ? definition.actions : {};
  const migrates = (phase === 'warm' || phase === 'cold') && given.migrate === undefined && !movesByAttributes(given.allocate);
  return ACTIONS[phase].filter((action) => given[action] !== undefined || (action === 'migrate' && migrates));
}

function movesByAttributes(allocate: unknown): boolean {
  return isObject(allocate) && ['include', 'exclude', 'require'].some((kind) => isObject(allocate[kind]));
}

/** The phases of a policy in their order. */
export function phasesOf(policy: JsonObject): string[] {
  return PHASES.filter((phase) => isObject(policy.phases) && policy.phases[phase] !== undefined);
}

export function phaseOf(policy: JsonObject, phase: string): JsonObject {
  const { phases } = policy;
  const definition = isObject(phases) ? phases[phase] : undefined;
  return isObject(definition) ? definition : {};
}

export function minAgeMs(definition: JsonObject): number {
  return parseDurationMs(String(definition.min_age ?? '0ms')) ?? 0;
}

/**
 * A policy body with its defaults.
 * @throws ApiError illegal_argument_exception, x_content_parse_exception; what this version does not carry out is refused by name
 */
export function normalizePolicy(body: JsonObject): MutableJsonObject {
  const { phases, _meta: meta, deprecated, ...unknown } = body;
  for (const key of Object.keys(unknown)) throw parseError('lifecycle_policy', key);
  if (!isObject(phases)) throw illegalArgumentError('Required [phases]');
  const shown: MutableJsonObject = {};
  for (const [phase, definition] of Object.entries(phases)) {
    if (!Object.hasOwn(ACTIONS, phase)) throw illegalArgumentError(`Timeseries lifecycle does not support phase [${phase}]`);
    shown[phase] = normalizePhase(phase, isObject(definition) ? definition : {});
  }
  checkAges(shown);
  return { phases: shown, ...(meta === undefined ? {} : { _meta: meta }), ...(deprecated === undefined ? {} : { deprecated }) };
}

function parseError(what: string, key: string): ApiError {
  return new ApiError('x_content_parse_exception', 400, `[${what}] unknown field [${key}]`);
}

function normalizePhase(phase: string, { min_age: minAge = '0ms', actions = {}, ...unknown }: JsonObject): MutableJsonObject {
  for (const key of Object.keys(unknown)) throw parseError('phase', key);
  if (parseDurationMs(String(minAge)) === null)
    throw illegalArgumentError(
      `failed to parse setting [min_age] with value [${String(minAge)}] as a time value: unit is missing or unrecognized`,
    );
  if (!isObject(actions)) throw illegalArgumentError(`[actions] of phase [${phase}] must be an object`);
  const known = new Set(Object.values(ACTIONS).flat());
  const shown: MutableJsonObject = {};
  for (const [action, params] of Object.entries(actions)) {
    if (!known.has(action)) throw parseError('phase', action);
    if (!ACTIONS[phase].includes(action)) throw illegalArgumentError(`invalid action [${action}] defined in phase [${phase}]`);
    if (REFUSED.includes(action)) throw illegalArgumentError(`the [${action}] action of lifecycle policies is not supported`);
    shown[action] = normalizeAction(action, isObject(params) ? params : {});
  }
  const needRollover = ['readonly', 'shrink', 'forcemerge'].filter((action) => Object.hasOwn(actions, action));
  if (phase === 'hot' && actions.rollover === undefined && needRollover.length > 0)
    throw illegalArgumentError(
      `the [${needRollover.join(', ')}] action(s) may not be used in the [hot] phase without an accompanying [rollover] action`,
    );
  return { min_age: parseDurationMs(String(minAge)) === 0 ? '0ms' : minAge, actions: shown };
}

type Check = (name: string, value: unknown) => void;

const count =
  (least: number): Check =>
  (name, value) => {
    if (!Number.isInteger(Number(value)) || Number(value) < least)
      throw illegalArgumentError(`[${name}] must be ${least === 0 ? '0 or greater' : 'greater than 0'}`);
  };
const flag: Check = (name, value) => {
  if (typeof value !== 'boolean') throw illegalArgumentError(`[${name}] must be true or false, got [${String(value)}]`);
};
const size: Check = (name, value) => {
  if (parseByteSize(String(value)) === null)
    throw illegalArgumentError(
      `failed to parse setting [${name}] with value [${String(value)}] as a size in bytes: unit is missing or unrecognized`,
    );
};
const text: Check = (name, value) => {
  if (typeof value !== 'string' || value === '') throw illegalArgumentError(`[${name}] must be a non-empty string`);
};
const attributes: Check = (name, value) => {
  if (!isObject(value)) throw illegalArgumentError(`[${name}] must be an object`);
};

const PARAMS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  set_priority: { priority: (name, value) => value === null || count(0)(name, value) },
  unfollow: {},
  readonly: {},
  migrate: { enabled: flag },
  allocate: {
    number_of_replicas: count(0),
    total_shards_per_node: count(-1),
    include: attributes,
    exclude: attributes,
    require: attributes,
  },
  shrink: { number_of_shards: count(1), max_primary_shard_size: size, allow_write_after_shrink: flag },
  forcemerge: { max_num_segments: count(1), index_codec: text },
  wait_for_snapshot: { policy: text },
  delete: { delete_searchable_snapshot: flag },
};

function normalizeAction(action: string, params: JsonObject): MutableJsonObject {
  if (action === 'rollover') return normalizeRollover(params);
  for (const [name, value] of Object.entries(params)) {
    if (!Object.hasOwn(PARAMS[action], name)) throw parseError(action, name);
    PARAMS[action][name](name, value);
  }
  if (action === 'forcemerge') {
    if (params.max_num_segments === undefined) throw illegalArgumentError('Required [max_num_segments]');
    if (params.index_codec !== undefined && params.index_codec !== 'best_compression')
      throw illegalArgumentError(`unknown index codec: [${String(params.index_codec)}]`);
  }
  if (action === 'shrink') {
    const given = ['number_of_shards', 'max_primary_shard_size'].filter((name) => params[name] !== undefined);
    if (given.length !== 1)
      throw illegalArgumentError(
        given.length === 0
          ? 'Either [number_of_shards] or [max_primary_shard_size] must be set'
          : 'Cannot set both [number_of_shards] and [max_primary_shard_size]',
      );
    return { ...params, allow_write_after_shrink: params.allow_write_after_shrink ?? false };
  }
  if (action === 'allocate') {
    if (Object.keys(params).length === 0)
      throw illegalArgumentError(
        'At least one of include, exclude, require, number_of_replicas, or total_shards_per_node must contain attributes for action allocate',
      );
    return { ...params, include: params.include ?? {}, exclude: params.exclude ?? {}, require: params.require ?? {} };
  }
  if (action === 'wait_for_snapshot' && params.policy === undefined) throw illegalArgumentError('Required [policy]');
  if (action === 'delete') return { delete_searchable_snapshot: params.delete_searchable_snapshot ?? true };
  if (action === 'migrate') return { enabled: params.enabled ?? true };
  return { ...params };
}

function normalizeRollover(params: JsonObject): MutableJsonObject {
  for (const [name, value] of Object.entries(params)) {
    if (!CONDITION.test(name)) throw parseError('rollover', name);
    if (name.endsWith('_docs')) count(0)(name, value);
    else if (name.endsWith('_size')) size(name, value);
    else if (parseDurationMs(String(value)) === null)
      throw illegalArgumentError(
        `failed to parse setting [${name}] with value [${String(value)}] as a time value: unit is missing or unrecognized`,
      );
  }
  const names = Object.keys(params);
  if (!names.some((name) => name.startsWith('max_')))
    throw illegalArgumentError(
      names.length === 0
        ? 'At least one rollover condition must be set.'
        : 'At least one max_* rollover condition must be set when using min_* conditions.',
    );
  return { ...params };
}

/** Phases must not begin before those that precede them. @throws ApiError illegal_argument_exception */
function checkAges(phases: JsonObject): void {
  let longest = 0;
  let from = '';
  for (const phase of PHASES) {
    const definition = phases[phase];
    if (!isObject(definition)) continue;
    const ms = minAgeMs(definition);
    if (ms < longest && definition.min_age !== '0ms')
      throw illegalArgumentError(
        `Your policy is configured to run the ${phase} phase (min_age: ${String(definition.min_age)}) before the ${from} phase. You should change the phase timing so that the phases will execute in the order of hot, warm, then cold.`,
      );
    if (ms > longest) [longest, from] = [ms, `${phase}`];
  }
}
