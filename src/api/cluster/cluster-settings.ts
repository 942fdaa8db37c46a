// `_cluster/settings`.
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { type ClusterSettingsResponse, nest } from '../../metadata/settings/cluster-settings.ts';
import type { EngineContext } from '../core/context.ts';

/** `PUT _cluster/settings`: `{ acknowledged, persistent, transient }` with the changed settings. @throws ApiError settings_exception */
export async function putClusterSettings(
  ctx: EngineContext,
  { body, flat }: { body: JsonObject; flat: boolean },
): Promise<ClusterSettingsResponse> {
  const response = await ctx.command('putClusterSettings', { body });
  return flat ? { ...response, persistent: flatten(response.persistent), transient: flatten(response.transient) } : response;
}

function flatten(nested: JsonObject, prefix = '', flat: MutableJsonObject = {}): MutableJsonObject {
  for (const [key, value] of Object.entries(nested)) {
    if (isObject(value)) flatten(value, `${prefix}${key}.`, flat);
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
