// The analysis kernels of both builds: release over an unshared memory, debug (assertions on) over a small shared one.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AnalysisHost } from '../../src/wasm/analysis.ts';
import type { AnalyzerExports } from '../../src/wasm/generated/exports.ts';
import { hostCalls } from '../../src/wasm/host-calls.ts';

function compiled(name: string): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(fileURLToPath(new URL(`../../build/${name}.wasm`, import.meta.url))));
}

/** Calls `define` once per build; it declares tests. The debug memory starts with 4 MiB. */
export function eachAnalysisBuild(define: (host: AnalysisHost, build: string) => void): void {
  define(new AnalysisHost(compiled('analyzer')), 'release');
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65536, shared: true });
  const abort = (_message: number, _file: number, line: number, column: number): never => {
    throw new Error(`kernel assertion at ${line}:${column}`);
  };
  const instance = new WebAssembly.Instance(compiled('engine.debug'), { env: { memory, abort, ...hostCalls(memory) } });
  const exports = instance.exports as unknown as AnalyzerExports;
  exports._start();
  define(new AnalysisHost({ exports, memory }), 'debug');
}
