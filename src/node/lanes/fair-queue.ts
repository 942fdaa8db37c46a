// A queue that serves senders in turn, so that one with many requests does not keep the others waiting.
//   sender A: a1 a2 a3     sender B: b1     order: a1 b1 a2 a3

export class FairQueue<T> {
  /** By sender, in the order in which they are served. A sender without items has no entry. */
  readonly #bySender = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(sender: string, item: T): void {
    const items = this.#bySender.get(sender);
    if (items) items.push(item);
    else this.#bySender.set(sender, [item]);
    this.#size++;
  }

  /** Removes the next item; undefined if there is none. */
  shift(): T | undefined {
    for (const [sender, items] of this.#bySender) {
      const item = items.shift();
      // The sender moves behind the others.
      this.#bySender.delete(sender);
      if (items.length > 0) this.#bySender.set(sender, items);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** @returns false if the item is not in the queue */
  remove(sender: string, item: T): boolean {
    const items = this.#bySender.get(sender);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#bySender.delete(sender);
    this.#size--;
    return true;
  }

  /** Removes and returns all items. */
  drain(): T[] {
    const all = [...this.#bySender.values()].flat();
    this.#bySender.clear();
    this.#size = 0;
    return all;
  }
}
