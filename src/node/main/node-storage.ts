// The data directory of a node: its lock, the store after a check of its pages, and what is kept there of metadata and users.
import { mkdirSync } from 'node:fs';
import { type DirectoryLock, lockDirectory } from '../../store/directory-lock.ts';
import { Store } from '../../store/store.ts';
import { checkStoreAtStart, markOpened, type StartCheck } from '../../store/store-check.ts';
import { MetadataStore } from '../metadata/metadata-store.ts';
import { SecurityStore } from '../metadata/security-store.ts';
import type { NodeOptions } from '../threads/node-options.ts';

export class NodeStorage {
  readonly store: Store;
  readonly metadata: MetadataStore;
  readonly security: SecurityStore;
  readonly #lock: DirectoryLock;
  readonly #check: StartCheck;

  /** @throws ApiError: the directory is in use, or its metadata is corrupt */
  constructor({ dataPath, nodeId, settings }: Pick<NodeOptions, 'dataPath' | 'nodeId' | 'settings'>) {
    mkdirSync(dataPath, { recursive: true, mode: 0o700 });
    this.#lock = lockDirectory(dataPath);
    try {
      this.#check = checkStoreAtStart(dataPath, diedOfMemoryFault());
      this.store = Store.open(dataPath);
      markOpened(dataPath);
      this.metadata = new MetadataStore(this.store, nodeId);
      this.security = new SecurityStore(this.store, settings['security.users']);
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  /** False if pages of the store were not checked before it was opened. */
  get isChecked(): boolean {
    return this.#check.isComplete;
  }

  async close(): Promise<void> {
    await this.store.close();
    this.#lock.release();
  }
}

/** Whether the service before this one ended by a fault that damage of its files may have caused; its parent process says so. */
function diedOfMemoryFault(): boolean {
  return ['135', '139', 'SIGBUS', 'SIGSEGV'].includes(process.env._GANNET_RESTARTED ?? '');
}
