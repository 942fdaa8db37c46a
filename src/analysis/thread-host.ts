// The analysis kernels of a thread, shared by all its users so that there is one memory. The code that starts the thread provides a loader, since
// this folder also runs in browsers, which cannot read files.
import type { AnalysisHost } from '../wasm/analysis.ts';

let load: (() => AnalysisHost) | null = null;
let host: AnalysisHost | null = null;

/** @param loader called when the kernels are first needed */
export function provideAnalysisHost(loader: () => AnalysisHost): void {
  load = loader;
}

export function threadAnalysisHost(): AnalysisHost {
  if (!load) throw new Error('no analysis kernels have been provided');
  host ??= load();
  return host;
}
