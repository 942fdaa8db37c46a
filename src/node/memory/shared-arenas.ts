// Distributes the shared arenas: every part that runs kernels receives every arena with its own scratch region in it.
import { ArenaSet } from '../../arena/arena.ts';
import type { Extent } from '../../indexing/segment-set.ts';
import type { ArenaMessage } from '../messages/messages.ts';

/** A part of the node that runs kernels over the arenas. */
export interface ArenaUser {
  /** Size of its scratch region in each arena. */
  readonly scratchBytes: number;
  /** Its scratch regions, one per arena. */
  readonly scratch: Extent[];
  sendArena(message: ArenaMessage): void;
}

export class SharedArenas {
  readonly #arenas: ArenaSet;
  readonly #opened: Array<{ readonly arena: number; readonly memory: WebAssembly.Memory }> = [];
  readonly #users = new Set<ArenaUser>();
  readonly #onArena: (arena: number, memory: WebAssembly.Memory) => void;

  /** @param onArena  called for a new arena before it is sent to the users */
  constructor(module: WebAssembly.Module, onArena: (arena: number, memory: WebAssembly.Memory) => void) {
    this.#onArena = onArena;
    this.#arenas = new ArenaSet(module, { onArena: (arena, memory) => this.#open(arena, memory) });
  }

  allocate(bytes: number): Extent {
    return this.#arenas.allocate(bytes);
  }

  release(extent: Extent): void {
    this.#arenas.release(extent);
  }

  /** Sends the user all arenas, and each new one from now on. */
  add(user: ArenaUser): void {
    this.#users.add(user);
    for (const { arena, memory } of this.#opened) this.#send(user, arena, memory);
  }

  /** Releases the scratch regions of a part that has ended. */
  remove(user: ArenaUser): void {
    this.#users.delete(user);
    for (const extent of user.scratch.splice(0)) this.#arenas.release(extent);
  }

  #open(arena: number, memory: WebAssembly.Memory): void {
    this.#opened.push({ arena, memory });
    this.#onArena(arena, memory);
    for (const user of this.#users) this.#send(user, arena, memory);
  }

  #send(user: ArenaUser, arena: number, memory: WebAssembly.Memory): void {
    const scratch = this.#arenas.allocate(user.scratchBytes, arena);
    user.scratch.push(scratch);
    user.sendArena({ type: 'arena', arena, memory, scratch });
  }
}
