// Users, roles and API keys that change during a crash test, with a record of their possible states afterwards.
import type { Rng } from '../support/rng.ts';
import type { Call, SideLoad } from './side-loads.ts';

const THINGS = 20;
const MIN_KEYS = 5;
/** A hash of "password", so that a change costs no hashing. */
const HASH = `scrypt:1024:8:1:${Buffer.alloc(16).toString('base64')}:${Buffer.alloc(32).toString('base64')}`;

/** The acknowledged state of a user or role, and the one of a change without an answer; null = absent, undefined = no such change. */
interface Expected {
  acknowledged: string | null;
  pending: string | null | undefined;
}

/** Changes its own users, roles and keys, one at a time, so that their states have an order. */
export class UserLoad implements SideLoad {
  readonly #call: Call;
  readonly #rng: Rng;
  readonly #name: string;
  readonly #expected = new Map<string, Expected>();
  /** Credentials of acknowledged API keys, and whether they are valid; undefined after a change without an answer. */
  readonly #keys = new Map<string, { encoded: string; isValid: boolean | undefined }>();
  /** Changes that were answered. */
  answered = 0;
  #counter = 0;

  /** @param name  begins the names of its users and roles */
  constructor(call: Call, rng: Rng, name: string) {
    this.#call = call;
    this.#rng = rng;
    this.#name = name;
  }

  async run(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      try {
        if (this.#rng.int(0, 3) === 0) await this.#changeKey();
        else await this.#changeThing();
        this.answered++;
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('answered')) throw error;
        return;
      }
    }
  }

  async #changeThing(): Promise<void> {
    const kind = this.#rng.pick(['user', 'role']);
    const target = `/_security/${kind}/${this.#name}-${this.#rng.int(0, THINGS)}`;
    const entry = this.#expected.get(target) ?? { acknowledged: null, pending: undefined };
    this.#expected.set(target, entry);
    const isRemoval = this.#rng.int(0, 4) === 0;
    const state = String(this.#counter++);
    entry.pending = isRemoval ? null : state;
    const body = kind === 'user' ? { password_hash: HASH, roles: [], metadata: { state } } : { cluster: ['monitor'], metadata: { state } };
    const { status } = isRemoval ? await this.#call('DELETE', target) : await this.#call('PUT', target, JSON.stringify(body));
    if (status !== 200 && !(isRemoval && status === 404)) throw new Error(`answered ${status}: ${target}`);
    entry.acknowledged = entry.pending;
    entry.pending = undefined;
  }

  async #changeKey(): Promise<void> {
    const valid = [...this.#keys].filter(([, key]) => key.isValid);
    if (valid.length < MIN_KEYS || this.#rng.int(0, 2) === 0) {
      const { status, json } = await this.#call('POST', '/_security/api_key', JSON.stringify({ name: `key ${this.#counter++}` }));
      if (status !== 200) throw new Error(`answered ${status}: create API key`);
      this.#keys.set(json.id, { encoded: json.encoded, isValid: true });
      return;
    }
    const [id, key] = this.#rng.pick(valid);
    key.isValid = undefined;
    const { status, json } = await this.#call('DELETE', '/_security/api_key', JSON.stringify({ ids: [id] }));
    if (status !== 200 || json.invalidated_api_keys[0] !== id) throw new Error(`answered ${status}: ${JSON.stringify(json)}`);
    key.isValid = false;
  }

  async verify(): Promise<string[]> {
    const problems: string[] = [];
    for (const kind of ['user', 'role']) {
      const { json } = await this.#call('GET', `/_security/${kind}`);
      for (const [target, entry] of this.#expected) {
        if (!target.startsWith(`/_security/${kind}/`)) continue;
        const found: string | null = json[target.slice(target.lastIndexOf('/') + 1)]?.metadata.state ?? null;
        if (found !== entry.acknowledged && found !== entry.pending) problems.push(`${target}: ${found} instead of ${entry.acknowledged}`);
        entry.acknowledged = found;
        entry.pending = undefined;
      }
    }
    for (const [id, key] of this.#keys) {
      const { status } = await this.#call('GET', '/_security/_authenticate', undefined, undefined, `ApiKey ${key.encoded}`);
      if (key.isValid !== undefined && (status === 200) !== key.isValid) problems.push(`API key ${id}: ${status}`);
      key.isValid = status === 200;
      if (!key.isValid) this.#keys.delete(id);
    }
    return problems;
  }
}
