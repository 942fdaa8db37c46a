import type { ClusterState } from './cluster-state.ts';

/** The metadata of a new node. */
export function emptyClusterState(clusterUuid: string): ClusterState {
  return {
    version: 1,
    clusterUuid,
    indices: {},
    templates: {},
    indexTemplates: {},
    componentTemplates: {},
    settings: { persistent: {}, transient: {} },
    scripts: {},
    pipelines: {},
  };
}
