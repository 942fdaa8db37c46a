// The part of the cluster's metadata that a caller can reach: its indices and data streams, with the aliases that the caller may use.
import type { EngineContext } from '../../api/core/context.ts';
import { namesOfIndex } from '../../api/core/index-names.ts';
import { visibleMappings } from '../../api/visibility/visible-index.ts';
import type { Caller } from '../../security/caller.ts';
import { FieldAccess } from '../../security/field-access.ts';
import type { Action } from './action.ts';

type ClusterView = EngineContext['cluster'];
type NamePolicy = NonNullable<ClusterView['names']>;

/** The limits of an engine. */
export interface Limits {
  readonly caller: Caller;
  readonly action: Action;
  /** Action that is also needed on the indices that expressions resolve to: of operations that read indices and change them. */
  readonly targetAction: Action | null;
}

/** The last result of visibleIndices by caller and actions: metadata rarely changes. */
const lastVisible = new WeakMap<Caller, Map<string, { readonly cluster: ClusterView; readonly indices: ClusterView['indices'] }>>();

/** The indices that the caller can reach, computed once for each state of the cluster. */
export function visibleIndices(cluster: ClusterView, limits: Limits, names: NamePolicy): ClusterView['indices'] {
  let byAction = lastVisible.get(limits.caller);
  if (!byAction) lastVisible.set(limits.caller, (byAction = new Map()));
  const key = `${limits.action} ${limits.targetAction}`;
  const known = byAction.get(key);
  if (known?.cluster === cluster) return known.indices;
  const indices = findVisible(cluster, limits, names);
  byAction.set(key, { cluster, indices });
  return indices;
}

/** The indices that the caller can reach, by their names or through aliases, with the aliases that they may use. */
function findVisible(cluster: ClusterView, { caller, action }: Limits, names: NamePolicy): ClusterView['indices'] {
  const visible: Record<string, ClusterView['indices'][string]> = {};
  for (const [name, meta] of Object.entries(cluster.indices)) {
    const aliases = Object.entries(namesOfIndex(cluster, meta));
    const allowed = aliases.filter(([alias]) => names.allows(alias));
    if (allowed.length === 0 && !names.allows(name)) continue;
    const restriction = caller.permissions.restrictionOf(action, [name, ...allowed.map(([alias]) => alias)]);
    const fields = restriction === null || restriction.fields.length === 0 ? null : new FieldAccess(restriction.fields);
    visible[name] =
      allowed.length === aliases.length && fields === null
        ? meta
        : {
            ...meta,
            aliases: Object.fromEntries(allowed.filter(([alias]) => Object.hasOwn(meta.aliases, alias))),
            mappings: fields === null ? meta.mappings : visibleMappings(meta.mappings, fields),
          };
  }
  return visible;
}

/** The data streams that the caller can reach, with the aliases that they may use. */
export function visibleStreams({ dataStreams }: ClusterView, names: NamePolicy): Pick<ClusterView, 'dataStreams'> {
  if (dataStreams === undefined) return {};
  const visible: Record<string, (typeof dataStreams)[string]> = {};
  for (const [name, stream] of Object.entries(dataStreams)) {
    const aliases = Object.entries(stream.aliases).filter(([alias]) => names.allows(alias));
    if (aliases.length > 0 || names.allows(name)) visible[name] = { ...stream, aliases: Object.fromEntries(aliases) };
  }
  return { dataStreams: visible };
}
