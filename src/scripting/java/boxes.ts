// Names of primitives and of the classes that box them.
const UNBOXED: Readonly<Record<string, string>> = {
  'java.lang.Boolean': 'boolean',
  'java.lang.Byte': 'byte',
  'java.lang.Short': 'short',
  'java.lang.Character': 'char',
  'java.lang.Integer': 'int',
  'java.lang.Long': 'long',
  'java.lang.Float': 'float',
  'java.lang.Double': 'double',
};

/** `int` for `java.lang.Integer`; null for other classes. */
export function unboxedName(className: string): string | null {
  return Object.hasOwn(UNBOXED, className) ? UNBOXED[className] : null;
}
