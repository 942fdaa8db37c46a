// Users, roles and API keys in LMDB: a record each, so that a change writes only its own.
import { type SecurityEnvironment, SUPERUSER } from '../../security/commands.ts';
import { type SecurityChange, SecurityRecords, type SecurityView } from '../../security/records.ts';
import type { Store } from '../../store/store.ts';
import { LOG_POSITION } from './metadata-store.ts';

const PREFIXES: Readonly<Record<SecurityChange['kind'], string>> = {
  user: 'security/user/',
  role: 'security/role/',
  apiKey: 'security/api-key/',
};

export class SecurityStore {
  readonly #store: Store;
  readonly #records = new SecurityRecords();
  #hasFileSuperuser = false;

  /** @param fileUsers  the setting `security.users`. @throws ApiError corrupt_index_exception */
  constructor(store: Store, fileUsers: Readonly<Record<string, unknown>>) {
    this.#store = store;
    this.setFileUsers(fileUsers);
    for (const kind of ['user', 'role', 'apiKey'] as const) {
      for (const key of store.metaNames(PREFIXES[kind])) {
        const change = { kind, name: key.slice(PREFIXES[kind].length), value: store.getMeta(key) };
        // Only `save` writes these records.
        this.#records.apply([change as SecurityChange]);
      }
    }
  }

  setFileUsers(fileUsers: Readonly<Record<string, unknown>>): void {
    this.#hasFileSuperuser = Object.values(fileUsers).some((user) => (user as { roles?: unknown[] } | null)?.roles?.includes(SUPERUSER));
  }

  get records(): SecurityView {
    return this.#records;
  }

  get environment(): SecurityEnvironment {
    return { nowMs: Date.now(), hasFileSuperuser: this.#hasFileSuperuser };
  }

  all(): SecurityChange[] {
    return this.#records.all();
  }

  /** Stores the changes, all or none; they are on disk when this returns. @param position  of the metadata log; null without a log */
  save(changes: readonly SecurityChange[], position: number | null): void {
    const values = new Map<string, unknown>(changes.map(({ kind, name, value }) => [PREFIXES[kind] + name, value ?? undefined]));
    if (position !== null) values.set(LOG_POSITION, position);
    this.#store.putMeta(values);
    this.#records.apply(changes);
  }
}
