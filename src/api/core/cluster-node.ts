// A live node of the cluster as operations see it.

export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  /** host:port of the REST API; null in the library without a socket. */
  readonly publishAddress: string | null;
  /** host:port for the other nodes; null for a node of its own. */
  readonly transportAddress: string | null;
  readonly isManager: boolean;
  /** null for this node, which measures itself when it is asked. */
  readonly load: NodeLoad | null;
}

/** How busy another node was when it last renewed its membership. */
export interface NodeLoad {
  readonly pid: number;
  readonly startedMs: number;
  readonly heapPercent: number;
  readonly ramPercent: number;
  readonly cpuPercent: number;
  /** Of 1, 5 and 15 minutes. */
  readonly averages: readonly number[];
}
