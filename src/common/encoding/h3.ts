// The package h3-js: cells of the hexagonal grid H3. It is loaded on use. Bundles replace this module by dist/service/h3.late.js.
import { createRequire } from 'node:module';

type H3 = typeof import('h3-js');
let library: H3 | null = null;

export function h3(): H3 {
  library ??= createRequire(import.meta.url)('h3-js') as H3;
  return library;
}
