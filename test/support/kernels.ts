// Kernels on small memories, where a wild pointer faults: property tests run on the debug build (assertions on) and on the release build.
import { compileEngine, createMemory, Kernels, PAGE_BYTES, staticBytes } from '../../src/wasm/kernels.ts';

const BUILDS = ['debug', 'release'] as const;
export type KernelBuild = (typeof BUILDS)[number];

/** Kernels over a memory of their own whose scratch region is filled with junk: output that a kernel forgets to write is not zero. */
export function createKernels(build: KernelBuild = 'debug', pages = 256): Kernels {
  const module = compileEngine(build);
  const start = staticBytes(module);
  const kernels = new Kernels(module, createMemory(pages), start, pages * PAGE_BYTES - start);
  kernels.u8.fill(0xa5, start);
  return kernels;
}

/** Calls `define` once per build; it declares tests. `pages` of 64 KiB: 16 MiB by default. */
export function eachKernelBuild(define: (kernels: Kernels, build: KernelBuild) => void, pages = 256): void {
  for (const build of BUILDS) define(createKernels(build, pages), build);
}
