// The snapshot thread, as seen by main: started for a call and ended when it is idle.
import type { RepositoryConfig } from '../../../snapshots/snapshot-types.ts';
import type { ReplyTo } from '../../messages/messages.ts';
import type { FromSnapshots, RepositoryCall, RepositoryReplies, ToSnapshots } from '../../messages/snapshot-messages.ts';
import type { NodePart } from '../node-part.ts';

/** The thread ends after this time without a call. */
const IDLE_MS = 5000;

type SnapshotPart = NodePart<ToSnapshots, FromSnapshots>;

export interface SnapshotThreadEnvironment {
  start(): SnapshotPart;
}

export class SnapshotThread {
  readonly #env: SnapshotThreadEnvironment;
  #part: SnapshotPart | null = null;
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(env: SnapshotThreadEnvironment) {
    this.#env = env;
  }

  /** @throws ApiError the errors of the call; node_closed_exception if the thread dies */
  async call<Call extends RepositoryCall>(config: RepositoryConfig, call: Call): Promise<RepositoryReplies[Call['name']]> {
    clearTimeout(this.#idle);
    this.#calls++;
    this.#part ??= this.#env.start();
    const part = this.#part;
    try {
      const reply: ReplyTo<ToSnapshots> = await part.channel.request({ type: 'repository', config, call });
      // The reply to a message of this name; TypeScript does not follow the name through the union of calls.
      return reply as RepositoryReplies[Call['name']];
    } finally {
      this.#calls--;
      if (this.#calls === 0 && this.#part === part) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  cancel(id: string): void {
    this.#part?.channel.notify({ type: 'cancel', id });
  }

  /** The thread has died: the next call starts another. */
  lost(): void {
    this.#part?.channel.close();
    this.#part = null;
  }

  #end(): void {
    if (this.#part === null || this.#part.worker === null || this.#calls > 0) return;
    this.#part.worker.terminate();
    this.lost();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    this.#part?.channel.close();
    await this.#part?.worker?.terminate();
    this.#part = null;
  }
}
