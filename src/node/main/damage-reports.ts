// Known damage on disk: of shards, or of the store as a whole. Each report is logged once and shared with the readers, so that health is
// red.

interface DamageEnvironment {
  error(message: string): void;
  /** Name of an index, for the log. */
  indexName(uuid: string): string;
  /** Notifies every reader. */
  share(): void;
}

const ADVICE = 'stop the service and run `gannet check --repair`';

export class DamageReports {
  readonly #environment: DamageEnvironment;
  /** By `uuid/shard`. */
  readonly #shards = new Map<string, string>();
  /** Damage of the store as a whole, which may affect every shard. */
  #store: string | null = null;

  constructor(environment: DamageEnvironment) {
    this.#environment = environment;
  }

  /** Known damage of a shard; null if there is none. */
  of(uuid: string, shard: number): string | null {
    return this.#shards.get(`${uuid}/${shard}`) ?? this.#store;
  }

  /** Reports damage of a shard; later reports about it are ignored. */
  reportShard({ uuid, shard }: { readonly uuid: string; readonly shard: number }, reason: string): void {
    const key = `${uuid}/${shard}`;
    if (this.#shards.has(key)) return;
    this.#shards.set(key, reason);
    this.#environment.error(`[${this.#environment.indexName(uuid)}][${shard}] is damaged: ${reason}; ${ADVICE}`);
    this.#environment.share();
  }

  /** Reports damage that may affect every shard. @param lines  at least one */
  reportStore(lines: readonly string[]): void {
    this.#store = lines[0];
    for (const line of lines) this.#environment.error(`the store is damaged: ${line}; ${ADVICE}`);
    this.#environment.share();
  }
}
