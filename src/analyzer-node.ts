// `gannet/analyzer` for Node: the same as analyzer.ts, with the kernels read from the package.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type LoadOptions, loadAnalyzer as load, type TextAnalysis } from './analyzer.ts';

export * from './analyzer.ts';

/** Loads the kernels and builds the analyzers. @throws ApiError: bad settings */
export function loadAnalyzer(options: LoadOptions = {}): Promise<TextAnalysis> {
  const wasm = options.wasm ?? readFileSync(fileURLToPath(new URL('../build/analyzer.wasm', import.meta.url)));
  return load({ ...options, wasm });
}
