// Members of objects whose names come from outside. `__proto__`, `constructor` and the like are names as any other: assigning to `__proto__` would
// set a prototype, and reading `constructor` would find what every object inherits.

/** Sets an own member of any name. */
export function setOwn<T>(object: Record<string, T>, name: string, value: NoInfer<T>): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}

/** The own member of this name, undefined if there is none. */
export function getOwn<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
