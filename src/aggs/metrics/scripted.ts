// scripted_metric: scripts collect a state per shard and bucket, and reduce the states to a value.

import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { CONTEXTS } from '../../scripting/contexts.ts';
import { MAX_STEPS } from '../../scripting/java/budget.ts';
import { JavaMap } from '../../scripting/java/collections.ts';
import type { ScriptMap, Value } from '../../scripting/java/values.ts';
import { compileScript } from '../../scripting/painless.ts';
import { parseScript, resolveScript, type ScriptSpec } from '../../scripting/script-spec.ts';
import { StateMemory } from '../../scripting/state-memory.ts';
import { fromScript, toScript } from '../../scripting/update-script.ts';
import { illegalArgumentError } from '../errors.ts';
import { Params } from '../params.ts';
import { JsonOut } from '../reduce/out.ts';
import type { AggSpec, AggType, BindContext, Slice } from '../types.ts';
import { docGroups } from './documents.ts';

interface ScriptedParams {
  readonly init: ScriptSpec | null;
  readonly map: ScriptSpec;
  readonly combine: ScriptSpec | null;
  readonly reduce: ScriptSpec | null;
  readonly params: JsonObject;
}

/** A script that accesses only the states. */
type StateScript = (variables: { state?: ScriptMap; states?: Value[] }, memory: StateMemory) => Value;

/** Step limit of a script over the states, whose size grows with the number of documents. */
const STATE_STEPS = 5_000_000;

interface BoundScripts {
  readonly init: StateScript | null;
  readonly map: ReturnType<BindContext['index']['docScript']>;
  readonly combine: StateScript;
  readonly reduce: StateScript;
  readonly params: JsonObject;
}

function stateScript(
  spec: ScriptSpec,
  ctx: BindContext,
  params: JsonObject,
  name: 'aggs_init' | 'aggs_combine' | 'aggs_reduce',
): StateScript {
  const { lang, source } = resolveScript(spec, ctx.index.storedScript);
  if (lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${lang}]`);
  const compiled = compileScript(source, CONTEXTS[name]);
  const given = toScript({ ...params, ...spec.params });
  return (variables, memory) => memory.run(STATE_STEPS, (budget) => compiled.run({ ...variables, params: given }, budget));
}

function bindScripts(spec: AggSpec, ctx: BindContext): BoundScripts {
  const { init, map, combine, reduce, params } = spec.params as ScriptedParams;
  if (combine === null) throw illegalArgumentError(`[combineScript] must not be null: [${spec.name}]`);
  if (reduce === null) throw illegalArgumentError(`[reduceScript] must not be null: [${spec.name}]`);
  return {
    init: init && stateScript(init, ctx, params, 'aggs_init'),
    map: ctx.index.docScript({ ...map, params: { ...params, ...map.params } }, 'aggs_map'),
    combine: stateScript(combine, ctx, params, 'aggs_combine'),
    reduce: stateScript(reduce, ctx, params, 'aggs_reduce'),
    params,
  };
}

/** Renders a script's double. */
function jsonOf(value: Value): unknown {
  return fromScript(value, jsonDouble);
}

export const scriptedMetricType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): ScriptedParams {
    const p = new Params(typeName, body);
    const script = (key: string): ScriptSpec | null => {
      const value = p.take(key);
      return value === undefined || value === null ? null : parseScript(value);
    };
    const init = script('init_script');
    const map = script('map_script');
    const combine = script('combine_script');
    const reduce = script('reduce_script');
    const params = p.take('params');
    p.done();
    if (map === null) throw illegalArgumentError('Required [map_script]');
    return { init, map, combine, reduce, params: isObject(params) ? params : {} };
  },
  bind: bindScripts,
  plan: () => ({ op: 'docs', children: [] }),
  merge(spec, slices, parents) {
    const groups = docGroups(slices, parents);
    // The values of all buckets are kept until the response is written.
    const results: Value[] = [];
    return {
      at(parent) {
        const states = new Map<number, { bound: BoundScripts; state: ScriptMap }>();
        let combined: Value[] = [];
        const memory = new StateMemory(() => [results, combined, ...[...states.values()].map(({ state }) => state)]);
        const stateOf = (slice: Slice) => {
          const { shard } = slice.segment;
          let entry = states.get(shard);
          if (!entry) {
            const bound = slice.bound as BoundScripts;
            const state: ScriptMap = new JavaMap();
            states.set(shard, (entry = { bound, state }));
            bound.init?.({ state }, memory);
          }
          return entry;
        };
        if (parent < 0) return new JsonOut(spec, 'scripted_metric', { value: null });
        for (const { slice, docs, scores } of groups[parent]) {
          const { bound, state } = stateOf(slice);
          docs.forEach((docId, i) => {
            const score = scores[i] ?? 0;
            memory.run(MAX_STEPS, (budget) => bound.map(slice.segment.segment, docId, { state, score, budget }));
          });
        }
        // A shard has a state even without documents in the bucket, if there is only one bucket.
        if (parents === 1) slices.forEach(stateOf);
        combined = [...states.values()].map(({ bound, state }) => bound.combine({ state }, memory));
        const [first] = states.values();
        const result = first ? first.bound.reduce({ states: combined }, memory) : null;
        if (parents > 1) results.push(result);
        return new JsonOut(spec, 'scripted_metric', { value: jsonOf(result) });
      },
    };
  },
};
