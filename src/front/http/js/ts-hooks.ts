// Loader hook of Node that strips the types from TypeScript modules, as newer versions of Node do themselves. Enums and namespaces, which need
// code generation, are refused.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Loaded {
  format: string;
  source?: string;
  shortCircuit?: boolean;
}

const require = createRequire(import.meta.url);

export async function load(url: string, context: unknown, next: (url: string, context: unknown) => Promise<Loaded>): Promise<Loaded> {
  if (!url.startsWith('file:') || !/\.m?ts$/.test(url)) return next(url, context);
  const { transformSync } = require('@swc/wasm-typescript') as typeof import('@swc/wasm-typescript');
  const file = fileURLToPath(url);
  try {
    const { code } = transformSync(await readFile(file, 'utf8'), { mode: 'strip-only', filename: file });
    return { format: 'module', source: code, shortCircuit: true };
  } catch (error) {
    if (error instanceof Error) throw error;
    const { message, startLine } = error as { message: string; startLine?: number };
    throw new SyntaxError(`${file}:${startLine ?? 1}: ${message}`);
  }
}
