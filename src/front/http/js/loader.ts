// Loads handler modules by path, JavaScript or TypeScript, and finds their functions.
import { existsSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

let hooked = false;

/** njs scripts load `crypto`, `fs` and others by `require`, which Node's ES modules do not have. */
function provideRequire(): void {
  if (!Object.hasOwn(globalThis, 'require'))
    Object.defineProperty(globalThis, 'require', { value: createRequire(import.meta.url), configurable: true });
}

/** @param folders  searched in order for a relative path @throws Error: the module cannot be loaded */
export async function loadModule(file: string, folders: readonly string[]): Promise<Record<string, unknown>> {
  const candidates = folders.map((folder) => path.resolve(folder, file));
  const found = candidates.find((candidate) => existsSync(candidate)) ?? candidates[0];
  if (/\.m?ts$/.test(found) && !hooked) {
    hooked = true;
    register(import.meta.url.replace(/loader(\.[jt]s)$/, 'ts-hooks$1'));
  }
  provideRequire();
  const loaded = (await import(pathToFileURL(found).href)) as { default?: Record<string, unknown> };
  return { ...loaded, ...loaded.default };
}
