// Faults of a round: what happens to nodes, NATS servers and connections while clients work.
import type { TestCluster } from '../support/cluster.ts';
import type { Rng } from '../support/rng.ts';

export interface Fault {
  readonly name: string;
  begin(): Promise<void> | void;
  /** Undoes it. */
  end(): Promise<void> | void;
}

/** A random fault of the cluster; a fault concerns at most one node, one NATS server, or the connections of one process. */
export function chooseFault(cluster: TestCluster, rng: Rng): Fault {
  return rng.pick([killNode, killNode, stopNode, killServer, stopServer, cutPair, cutPair, isolate])(cluster, rng);
}

function killNode({ nodes }: TestCluster, rng: Rng): Fault {
  const node = rng.pick(nodes);
  return { name: `kill ${node.name}`, begin: async () => void (await node.end('SIGKILL')), end: () => node.start() };
}

function stopNode({ nodes }: TestCluster, rng: Rng): Fault {
  const node = rng.pick(nodes);
  return { name: `stop ${node.name}`, begin: () => node.signal('SIGSTOP'), end: () => node.signal('SIGCONT') };
}

function killServer({ nats }: TestCluster, rng: Rng): Fault {
  const server = rng.int(0, nats.count - 1);
  return { name: `kill nats-${server + 1}`, begin: () => nats.end(server), end: () => nats.launch(server) };
}

function stopServer({ nats }: TestCluster, rng: Rng): Fault {
  const server = rng.int(0, nats.count - 1);
  return {
    name: `stop nats-${server + 1}`,
    begin: () => nats.signal(server, 'SIGSTOP'),
    end: () => nats.signal(server, 'SIGCONT'),
  };
}

function processesOf({ nodes, nats }: TestCluster): string[] {
  return [...nodes.map(({ name }) => name), ...Array.from({ length: nats.count }, (_, at) => `nats-${at + 1}`)];
}

/** One direction between two processes, or both. */
function cutPair(cluster: TestCluster, rng: Rng): Fault {
  const [from, to] = rng.shuffle(processesOf(cluster));
  const isBoth = rng.bool();
  return {
    name: `cut ${from} ${isBoth ? '<' : ''}> ${to}`,
    begin() {
      cluster.network?.cut(from, to);
      if (isBoth) cluster.network?.cut(to, from);
    },
    end: () => cluster.network?.heal(),
  };
}

/** All connections of a process, in one direction or both. */
function isolate(cluster: TestCluster, rng: Rng): Fault {
  const [name, ...others] = rng.shuffle(processesOf(cluster));
  const direction = rng.pick(['to', 'from', 'both']);
  return {
    name: `isolate ${name} (${direction})`,
    begin() {
      for (const other of others) {
        if (direction !== 'from') cluster.network?.cut(name, other);
        if (direction !== 'to') cluster.network?.cut(other, name);
      }
    },
    end: () => cluster.network?.heal(),
  };
}
