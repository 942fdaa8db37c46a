// Snapshots of an index that changes, deletions and restores during a crash test. The contents of a snapshot of a changing index are known for
// the documents that did not change while it was made.
import type { Rng } from '../support/rng.ts';
import type { Call, SideLoad } from './side-loads.ts';

/** Strings of documents by id. */
export type Texts = ReadonlyMap<string, string | null>;

const MAX_SNAPSHOTS = 4;
const PAGE = 2000;

export class SnapshotLoad implements SideLoad {
  readonly #call: Call;
  readonly #rng: Rng;
  readonly #settled: () => Map<string, { text: string | null; changes: number }>;
  /** Known contents of each snapshot; one that is not certain may be missing. */
  readonly #snapshots = new Map<string, { texts: Texts; isCertain: boolean }>();
  #next = 0;

  /** @param settled  the documents that no operation without an answer may have changed, with the number of operations on each so far */
  constructor(call: Call, rng: Rng, settled: () => Map<string, { text: string | null; changes: number }>) {
    this.#call = call;
    this.#rng = rng;
    this.#settled = settled;
  }

  async prepare(): Promise<void> {
    await this.#call('PUT', '/_snapshot/crash', JSON.stringify({ type: 'fs', settings: { location: 'crash' } }));
  }

  async run(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      try {
        const certain = [...this.#snapshots].filter(([, { isCertain }]) => isCertain).map(([name]) => name);
        const kind = this.#rng.pick(['create', 'create', 'delete', 'restore']);
        if (kind === 'create' || certain.length === 0) await this.#create();
        else if (kind === 'delete' || certain.length > MAX_SNAPSHOTS) await this.#delete(this.#rng.pick(certain));
        else await this.#restore(this.#rng.pick(certain), 'restored-load');
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('answered')) throw error;
        return;
      }
    }
  }

  async #create(): Promise<void> {
    const name = `s${this.#next++}`;
    const before = this.#settled();
    this.#snapshots.set(name, { texts: new Map(), isCertain: false });
    const answer = await this.#call('PUT', `/_snapshot/crash/${name}?wait_for_completion=true`, JSON.stringify({ indices: 'crash' }));
    if (answer.status !== 200 || answer.json.snapshot.state !== 'SUCCESS') throw new Error(`answered ${answer.status}: create ${name}`);
    const after = this.#settled();
    const texts = new Map(
      [...before].filter(([id, { changes }]) => after.get(id)?.changes === changes).map(([id, { text }]) => [id, text]),
    );
    this.#snapshots.set(name, { texts, isCertain: true });
  }

  async #delete(name: string): Promise<void> {
    const entry = this.#snapshots.get(name);
    if (entry) entry.isCertain = false;
    const { status } = await this.#call('DELETE', `/_snapshot/crash/${name}`);
    if (status !== 200) throw new Error(`answered ${status}: delete ${name}`);
    this.#snapshots.delete(name);
  }

  async #restore(name: string, target: string): Promise<void> {
    const body = { rename_pattern: '.+', rename_replacement: target, include_aliases: false };
    const { status, json } = await this.#call('POST', `/_snapshot/crash/${name}/_restore?wait_for_completion=true`, JSON.stringify(body));
    if (status !== 200 || json.snapshot.shards.failed > 0) throw new Error(`answered ${status}: restore ${name} ${JSON.stringify(json)}`);
    await this.#call('DELETE', `/${target}`);
  }

  /** The acknowledged snapshots are listed, interrupted ones are complete or absent; one of them is restored and compared. */
  async verify(): Promise<string[]> {
    const problems: string[] = [];
    await this.#call('DELETE', '/restored-load');
    const { json } = await this.#call('GET', '/_snapshot/crash/_all');
    const listed = new Map<string, string>(json.snapshots.map((info: { snapshot: string; state: string }) => [info.snapshot, info.state]));
    for (const [name, state] of listed) {
      if (state !== 'SUCCESS') problems.push(`snapshot ${name} is ${state}`);
      if (!this.#snapshots.has(name)) problems.push(`snapshot ${name} was deleted`);
    }
    for (const [name, entry] of [...this.#snapshots]) {
      if (listed.has(name)) entry.isCertain = true;
      else {
        if (entry.isCertain) problems.push(`snapshot ${name} is lost`);
        this.#snapshots.delete(name);
      }
    }
    if (this.#snapshots.size > 0) problems.push(...(await this.#compare(this.#rng.pick([...this.#snapshots.keys()]))));
    return problems;
  }

  async #compare(name: string): Promise<string[]> {
    const body = { rename_pattern: '.+', rename_replacement: 'restored', include_aliases: false };
    const { status, json } = await this.#call('POST', `/_snapshot/crash/${name}/_restore?wait_for_completion=true`, JSON.stringify(body));
    if (status !== 200 || json.snapshot.shards.failed > 0) return [`restore of ${name}: ${status} ${JSON.stringify(json).slice(0, 200)}`];
    const texts = this.#snapshots.get(name)?.texts ?? new Map();
    const ids = [...texts.keys()];
    const wrong: string[] = [];
    for (let at = 0; at < ids.length; at += PAGE) {
      const { json: page } = await this.#call('POST', '/restored/_mget', JSON.stringify({ ids: ids.slice(at, at + PAGE) }));
      for (const { _id, found, _source } of page.docs) if ((found ? _source.text : null) !== texts.get(_id)) wrong.push(_id);
    }
    await this.#call('DELETE', '/restored');
    return wrong.length === 0
      ? []
      : [`${wrong.length} of ${ids.length} documents of snapshot ${name} differ: ${wrong.slice(0, 3).join(', ')}`];
  }
}
