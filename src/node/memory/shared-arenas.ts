// Distributes the shared arenas: every part that runs kernels receives every arena with its own scratch region in it.
import { ArenaSet } from '../../arena/arena.ts';
import { newSectionMemory, SectionTable } from '../../arena/section-table.ts';
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

/** Limit for threads that use the arenas at the same time: http workers, indexers, lanes, the merger. */
const MAX_USERS = 512;
const MAIN_USER = 0;

export class SharedArenas {
  readonly #arenas: ArenaSet;
  readonly #opened: Array<{ readonly arena: number; readonly memory: WebAssembly.Memory }> = [];
  /** By the number that each has in the table of sections. */
  readonly #users: (ArenaUser | undefined)[] = [];
  readonly #sectionMemory = newSectionMemory(MAX_USERS);

  readonly #onArena: (arena: number, memory: WebAssembly.Memory, sections: ArenaMessage['sections']) => void;

  /** @param onArena  called for a new arena before it is sent to the users */
  constructor(
    module: WebAssembly.Module,
    onArena: (arena: number, memory: WebAssembly.Memory, sections: ArenaMessage['sections']) => void,
  ) {
    this.#onArena = onArena;
    this.#arenas = new ArenaSet(module, { onArena: (arena, memory) => this.#open(arena, memory) });
  }

  /** The table of sections, as main uses it. */
  readonly sections = new SectionTable(this.#sectionMemory, MAIN_USER);

  /** @param arena  where the memory must be; any by default */
  allocate(bytes: number, arena?: number): Extent {
    return this.#arenas.allocate(bytes, arena);
  }

  /** The extent's bytes in shared memory. */
  view({ arena, ptr, bytes }: Extent): Uint8Array {
    return new Uint8Array(this.#arenas.memories[arena].buffer, ptr, bytes);
  }

  release(extent: Extent): void {
    this.#arenas.release(extent);
  }

  /** Sends the user all arenas, and each new one from now on. */
  add(user: ArenaUser): void {
    let number = MAIN_USER + 1;
    while (this.#users[number]) number++;
    if (number === MAX_USERS) throw new RangeError(`more than ${MAX_USERS} threads use the arenas`);
    this.#users[number] = user;
    for (const { arena, memory } of this.#opened) this.#send(number, user, arena, memory);
  }

  /** Releases the scratch regions of a part that has ended. */
  remove(user: ArenaUser): void {
    this.ended(user);
    delete this.#users[this.#users.indexOf(user)];
    for (const extent of user.scratch.splice(0)) this.#arenas.release(extent);
  }

  /** Takes back the sections that a part held whose thread has ended; another thread may continue as this part. */
  ended(user: ArenaUser): void {
    this.sections.endThread(this.#users.indexOf(user));
  }

  #open(arena: number, memory: WebAssembly.Memory): void {
    this.#opened.push({ arena, memory });
    this.#onArena(arena, memory, { memory: this.#sectionMemory, thread: MAIN_USER });
    this.#users.forEach((user, number) => {
      if (user) this.#send(number, user, arena, memory);
    });
  }

  #send(number: number, user: ArenaUser, arena: number, memory: WebAssembly.Memory): void {
    const scratch = this.#arenas.allocate(user.scratchBytes, arena);
    user.scratch.push(scratch);
    user.sendArena({ type: 'arena', arena, memory, scratch, sections: { memory: this.#sectionMemory, thread: number } });
  }
}
