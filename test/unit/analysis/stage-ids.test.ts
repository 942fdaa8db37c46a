import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { STAGE } from '../../../src/analysis/stage-ids.ts';
import { TOKEN_TYPES } from '../../../src/analysis/tokens/token-types.ts';

const read = (file: string): string => readFileSync(new URL(`../../../assembly/analysis/${file}`, import.meta.url), 'utf8');

test('stage ids are the same on both sides', () => {
  const kernels = Object.fromEntries(
    [...read('stage-ids.ts').matchAll(/export const S_(\w+): u32 = (\d+);/g)].map(([, name, id]) => [name, Number(id)]),
  );
  expect(STAGE).toEqual(kernels);
  expect(new Set(Object.values(STAGE)).size).toBe(Object.keys(STAGE).length);
});

test('token types that kernels name have the ids of the host', () => {
  const types = [...read('token.ts').matchAll(/export const (\w+): u32 = (\d+);/g)].map(([, name, id]) => [name, Number(id)] as const);
  expect(types.length).toBeGreaterThan(10);
  for (const [name, id] of types) expect(TOKEN_TYPES[id].replace(/[<>]/g, '').toUpperCase()).toBe(name);
});
