// A live node of the cluster, as seen by operations.

export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  /** host:port of the REST API; null in the library without a socket. */
  readonly publishAddress: string | null;
  /** host:port for the other nodes; null for a standalone node. */
  readonly transportAddress: string | null;
  readonly isManager: boolean;
  /** Settings `node.attr.*`; absent for a standalone node. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Of its data; null if it is not known, absent for a standalone node. */
  readonly disk?: { readonly totalBytes: number; readonly freeBytes: number } | null;
  /** null for this node, whose load is measured on request. */
  readonly load: NodeLoad | null;
}

/** Load of another node at the last renewal of its membership. */
export interface NodeLoad {
  readonly pid: number;
  readonly startedMs: number;
  readonly heapPercent: number;
  readonly ramPercent: number;
  readonly cpuPercent: number;
  /** Of 1, 5 and 15 minutes. */
  readonly averages: readonly number[];
}
