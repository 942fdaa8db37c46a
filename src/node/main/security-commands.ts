// Runs changes of users, roles and API keys between metadata commands: decides what changes, orders it in the log, stores it, and sends it to
// every reader.
import { runSecurityCommand, type SecurityArgs, type SecurityCommandName, type SecurityReply } from '../../security/commands.ts';
import type { SecurityChange } from '../../security/records.ts';
import type { ToReader } from '../messages/messages.ts';
import type { MetadataLog } from '../metadata/metadata-log.ts';
import type { SecurityStore } from '../metadata/security-store.ts';
import type { CommandQueue } from './command-queue.ts';

export interface SecurityCommandsParts {
  readonly security: SecurityStore;
  readonly queue: CommandQueue;
  readonly log: MetadataLog;
  /** Resolves when every reader has the message. */
  readonly broadcast: (message: ToReader) => Promise<void>;
}

export class SecurityCommands {
  readonly #parts: SecurityCommandsParts;

  constructor(parts: SecurityCommandsParts) {
    this.#parts = parts;
  }

  /** Runs a command after the previous changes. Resolves when it is in effect in every reader. */
  run<Name extends SecurityCommandName>(name: Name, args: SecurityArgs<Name>): Promise<SecurityReply<Name>> {
    const { security, queue, log } = this.#parts;
    return queue.run(async () => {
      for (;;) {
        await log.catchUp();
        const { changes, reply } = runSecurityCommand(name, security.records, args, security.environment);
        if (changes.length === 0) return reply;
        const entry = log.prepare({ kind: 'security', changes } as const);
        if (!(await log.append(entry))) continue;
        await this.apply(entry.changes);
        return reply;
      }
    });
  }

  /** Stores changes of another node before this node has started. */
  replay(changes: readonly SecurityChange[]): void {
    this.#parts.security.save(changes, this.#parts.log.position);
  }

  /** Stores changes that are in the log, and sends them to every reader. Runs within the queue of commands. */
  async apply(changes: readonly SecurityChange[]): Promise<void> {
    const { broadcast } = this.#parts;
    this.replay(changes);
    await broadcast({ type: 'security', changes });
  }

  all(): SecurityChange[] {
    return this.#parts.security.all();
  }

  /** Replaces all records. @param isStarted  readers receive the changes */
  async adopt(records: readonly SecurityChange[], isStarted: boolean): Promise<void> {
    const { security, broadcast } = this.#parts;
    const kept = new Set(records.map(({ kind, name }) => `${kind}/${name}`));
    const removed = security.all().flatMap(({ kind, name }) => (kept.has(`${kind}/${name}`) ? [] : [{ kind, name, value: null }]));
    const changes = [...removed, ...records];
    security.save(changes, null);
    if (isStarted) await broadcast({ type: 'security', changes });
  }
}
