// `_cluster/settings`.
import type { MutableJsonObject } from '../../common/json-value.ts';
import { nest } from '../../metadata/cluster-settings.ts';
import type { EngineContext } from '../core/context.ts';

/** `PUT _cluster/settings`: `{ acknowledged, persistent, transient }` with what was changed. @throws ApiError unknown settings */
export async function putClusterSettings(
  ctx: EngineContext,
  request: { body: Readonly<MutableJsonObject>; flat: boolean },
): Promise<unknown> {
  const response = (await ctx.command({ name: 'putClusterSettings', args: request })) as MutableJsonObject;
  if (!request.flat) return response;
  return {
    ...response,
    persistent: flatten(response.persistent as MutableJsonObject),
    transient: flatten(response.transient as MutableJsonObject),
  };
}

function flatten(nested: MutableJsonObject, prefix = '', flat: MutableJsonObject = {}): MutableJsonObject {
  for (const [key, value] of Object.entries(nested)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) flatten(value as MutableJsonObject, `${prefix}${key}.`, flat);
    else flat[prefix + key] = value;
  }
  return flat;
}

/** `GET _cluster/settings`. */
export function clusterSettings(ctx: EngineContext, request: { flat: boolean; includeDefaults: boolean }): MutableJsonObject {
  const { persistent, transient } = ctx.cluster.settings;
  const show = (settings: Readonly<Record<string, unknown>>): unknown => (request.flat ? settings : nest(settings));
  return {
    persistent: show(persistent),
    transient: show(transient),
    ...(request.includeDefaults ? { defaults: show({ 'cluster.name': ctx.clusterName, 'node.name': ctx.nodeName }) } : {}),
  };
}
