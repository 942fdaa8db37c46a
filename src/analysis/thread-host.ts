// The analysis kernels of a thread, for everything in it that analyses: one memory instead of one for each. Who starts the thread tells how
// they are loaded, since this folder also runs in browsers, which read no files.
import type { AnalysisHost } from '../wasm/analysis.ts';

let load: (() => AnalysisHost) | null = null;
let host: AnalysisHost | null = null;

/** @param loader called when the kernels are first asked for */
export function provideAnalysisHost(loader: () => AnalysisHost): void {
  load = loader;
}

export function threadAnalysisHost(): AnalysisHost {
  if (!load) throw new Error('no analysis kernels have been provided');
  host ??= load();
  return host;
}
