// The duties of the manager: assigns copies and primaries, removes the logs of deleted indices, and stores snapshots of the metadata. Every node has one of these;
// only that of the elected node does anything.
import type { EntryLog } from '../../cluster/entry-log.ts';
import type { JetStream } from '../../cluster/jetstream.ts';
import type { LogSubject } from '../../cluster/log-subject.ts';
import type { Membership } from '../../cluster/membership.ts';
import type { MetadataEntry } from '../metadata/metadata-log.ts';
import { dialectOfNode } from '../metadata/node-dialect.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import type { LinkedNode } from './cluster-link.ts';
import type { CopyAllocator } from './copy-allocator.ts';
import type { MetadataContent, MetadataSnapshots } from './metadata-snapshots.ts';
import { removeLogs } from './remove-logs.ts';

interface Surroundings {
  readonly jetStream: JetStream;
  readonly options: NodeOptions;
  readonly node: LinkedNode;
  readonly log: EntryLog<MetadataEntry, MetadataContent>;
  /** Of the metadata log. */
  readonly subject: LogSubject;
  readonly snapshots: MetadataSnapshots;
  readonly allocator: CopyAllocator;
  /** Runs within the queue of commands. */
  readonly catchUp: () => Promise<void>;
  /** null before the node has joined. */
  readonly membership: () => Membership | null;
  readonly isLeaving: () => boolean;
}

export class Manager {
  readonly #around: Surroundings;
  #running: Promise<void> | null = null;
  #runsAgain = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  /** Repeats an assignment that failed. */
  check(): void {
    const { membership, allocator } = this.#around;
    const members = membership();
    if (members?.isManager && allocator.isDue(members.nodes)) this.run();
  }

  /** Performs the duties, and repeats them if something changes in the meantime. */
  run(): void {
    const { membership, isLeaving, node } = this.#around;
    if (membership()?.isManager !== true || isLeaving()) return;
    if (this.#running !== null) {
      this.#runsAgain = true;
      return;
    }
    this.#running = this.#runOnce()
      .catch((error: Error) => {
        if (!isLeaving()) node.log('warn', `the manager could not assign shards or remove logs: ${error.message}`);
      })
      .finally(() => {
        this.#running = null;
        if (!this.#runsAgain) return;
        this.#runsAgain = false;
        this.run();
      });
  }

  async #runOnce(): Promise<void> {
    const { node, jetStream, options, catchUp, membership, allocator } = this.#around;
    const members = membership();
    if (members !== null) await allocator.run(members.nodes);
    await removeLogs(jetStream, options.clusterName, { state: () => node.state(), catchUp: () => node.inQueue(catchUp) });
    await this.#snapshotMetadata();
  }

  /** Stores a snapshot of the metadata, and trims its log, if both are due. */
  async #snapshotMetadata(): Promise<void> {
    const { log, snapshots, subject, node, options, catchUp, membership } = this.#around;
    if (!(await snapshots.isDue(log.lastEntry, log.loggedBytes))) return;
    const { 'compat.flavor': flavor } = options.settings;
    const { version: dialect } = dialectOfNode(options);
    const taken = await node.inQueue(async () => {
      await catchUp();
      return { position: log.lastEntry, content: { state: node.state(), security: node.security(), flavor, dialect } };
    });
    const applied = membership()?.nodes.map(({ metadataPosition }) => metadataPosition) ?? [];
    await snapshots.take(subject, taken.position, log.loggedBytes, taken.content, applied);
  }
}
