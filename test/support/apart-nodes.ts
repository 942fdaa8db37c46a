// Nodes of a cluster of which each has some of the indices, in this process: all of them are views of one node that has everything, so that its
// answers are what theirs must be.
import type { EngineContext } from '../../src/api/core/context.ts';
import { Logger } from '../../src/common/log/logger.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import type { ClusterState } from '../../src/metadata/cluster-state.ts';
import { askForPart } from '../../src/node/reading/copies-elsewhere.ts';
import { HeldCopies } from '../../src/node/reading/held-copies.ts';
import { answerForwarded } from '../../src/rest/core/forwarded.ts';
import type { LaneRequest, LaneResponse, Peers } from '../../src/rest/core/lane.ts';
import { Dispatcher } from '../../src/rest/dispatch.ts';
import type { CallerRef } from '../../src/security/caller.ts';
import { fakeRequest } from './fake-http.ts';
import type { RestNode } from './rest-node.ts';

export interface ApartNodes {
  /** Answer of a node to `METHOD /path`. */
  send(node: string, line: string, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; text: string; json: any }>;
  /** Parts of searches that the nodes were asked for. */
  readonly asked: { node: string; part: any }[];
  /** Called before a node answers a part; throws instead of an answer. */
  beforePart: (node: string) => void;
  /** Indices by node. Changing it moves copies. */
  readonly placement: Record<string, readonly string[]>;
  /** What each node believes about the placement; absent for the truth. */
  believed: Record<string, readonly string[]> | null;
}

/** @param placement  indices of each node @param flags  settings of the node */
export function apartNodes(whole: RestNode, placement: Record<string, readonly string[]>, flags: Record<string, unknown> = {}): ApartNodes {
  const settings = loadSettings({ flags: { threads: 1, ...flags }, file: null });
  const names = Object.keys(placement);
  const dispatchers = new Map<string, Dispatcher>();
  const serve = (node: string, request: LaneRequest): Promise<LaneResponse> => {
    const dispatcher = dispatchers.get(node);
    if (dispatcher === undefined) return Promise.reject(new ApiError('connect_transport_exception', 503, `no node ${node}`));
    return answerForwarded(structuredClone(request), dispatcher.handle);
  };
  const nodes: ApartNodes = {
    placement,
    asked: [],
    beforePart: () => undefined,
    believed: null,
    async send(node, line, body, headers) {
      const dispatcher = dispatchers.get(node);
      if (dispatcher === undefined) throw new Error(`no node ${node}`);
      const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fakeRequest(dispatcher.handle, line, { body: text, headers });
      return { status: answer.status, text: answer.text, json: answer.text.startsWith('{') ? JSON.parse(answer.text) : null };
    },
  };
  for (const id of names) {
    const own: Partial<Record<keyof EngineContext, unknown>> = {
      nodeId: id,
      nodeName: id,
      nodes: names.map((name) => ({
        id: name,
        name,
        publishAddress: null,
        transportAddress: null,
        isManager: false,
        attributes: {},
        load: null,
      })),
      askNode: (node: string, part: any, caller: CallerRef | null = null) =>
        askForPart(
          async (request) => {
            nodes.asked.push({ node, part });
            nodes.beforePart(node);
            return serve(node, request);
          },
          part,
          caller,
        ),
    };
    const clusterOf = (): ClusterState => {
      const { cluster } = whole.engine;
      const believed = nodes.believed ?? placement;
      const copies = Object.fromEntries(
        Object.values(cluster.indices).map(({ name, uuid }) => [
          uuid,
          names.flatMap((node) => (believed[node].includes(name) ? [{ node, id: 1, isStarted: true, leftMs: null, replaces: null }] : [])),
        ]),
      );
      return { ...(cluster as ClusterState), copies, primaries: {} };
    };
    const engine: EngineContext = new Proxy(whole.engine, {
      get(target, key: keyof EngineContext) {
        if (key === 'cluster') return clusterOf();
        if (key === 'whole') return engine;
        if (Object.hasOwn(own, key)) return own[key];
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const held = new HeldCopies({ nodeId: id, cluster: clusterOf, nodes: () => engine.nodes, catchUp: async () => undefined });
    own.requireTogether = held.requireTogether.bind(held);
    own.acquire = (index: any, shard: number) => {
      if (index.meta.state === 'open' && !placement[id].includes(index.meta.name)) throw held.error([index]);
      return whole.engine.acquire(index, shard);
    };
    own.reads = () => null;
    own.catchUp = (action: string) => {
      if (action.startsWith('indices:data/')) return null;
      nodes.believed = null;
      return Promise.resolve();
    };
    const peers: Peers = { forward: (node, request) => serve(node, request) };
    dispatchers.set(id, new Dispatcher(settings, engine, new Logger('error'), null, null, null, null, peers));
  }
  return nodes;
}
