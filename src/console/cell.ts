// Observable values that several parts of the page share, or that the browser stores.
import { useEffect, useState } from 'preact/hooks';

export class Cell<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The value of a cell. The component is rendered again when the value changes. */
export function useCell<T>(cell: Cell<T>): T {
  const [value, show] = useState<{ of: T }>({ of: cell.value });
  useEffect(() => {
    show({ of: cell.value });
    return cell.subscribe((next) => show({ of: next }));
  }, [cell]);
  return value.of;
}

const PREFIX = 'gannet.console.';

/** A cell whose value is kept in browser storage. Stored values of another shape are ignored, as is storage that is full or forbidden. */
export function keptCell<T>(
  name: string,
  fallback: T,
  isValid: (value: unknown) => value is T,
  storage: Storage | null = local(),
): Cell<T> {
  const cell = new Cell(readKept(storage, name, isValid) ?? fallback);
  cell.subscribe((value) => {
    try {
      if (value === null) storage?.removeItem(PREFIX + name);
      else storage?.setItem(PREFIX + name, JSON.stringify(value));
    } catch {
      // The page works without storage.
    }
  });
  return cell;
}

function readKept<T>(storage: Storage | null, name: string, isValid: (value: unknown) => value is T): T | null {
  try {
    const text = storage?.getItem(PREFIX + name) ?? null;
    const value: unknown = text === null ? null : JSON.parse(text);
    return isValid(value) ? value : null;
  } catch {
    return null;
  }
}

function local(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** Storage of this tab alone; null where the browser forbids it. */
export function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

export const isString = (value: unknown): value is string => typeof value === 'string';
export const isStringOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';
