// Objects of handlers whose properties are computed: header fields, variables.

/** An object whose properties are read and written through functions. @param names  those that are enumerated */
export function view<V>(
  get: (name: string) => V | undefined,
  names: () => string[],
  set: (name: string, value: V | undefined) => void,
): Record<string, V> {
  return new Proxy(Object.create(null) as Record<string, V>, {
    get: (_, name) => (typeof name === 'string' ? get(name) : undefined),
    has: (_, name) => typeof name === 'string' && get(name) !== undefined,
    set(_, name, value: V) {
      set(String(name), value);
      return true;
    },
    deleteProperty(_, name) {
      set(String(name), undefined);
      return true;
    },
    ownKeys: () => [...new Set(names())],
    getOwnPropertyDescriptor(_, name) {
      const value = get(String(name));
      return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: true };
    },
  });
}
