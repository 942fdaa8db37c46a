// `gannet/analyzer` for Node: analyzer.ts with the kernels read from the package, and the words of all languages.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkLanguages, type LoadOptions, loadAnalyzer as load, type TextAnalysis } from './analyzer.ts';

export * from './analyzer.ts';

/** Loads the kernels and builds the analyzers. @throws ApiError: bad settings, an unknown language */
export async function loadAnalyzer({ languages, ...options }: LoadOptions = {}): Promise<TextAnalysis> {
  checkLanguages(languages ?? []);
  const wasm = options.wasm ?? readFileSync(fileURLToPath(new URL('../build/analyzer.wasm', import.meta.url)));
  return load({ ...options, wasm });
}
