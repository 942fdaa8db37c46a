import { expect, test } from 'vitest';
import { typeIdOf, typeName } from '../../../src/analysis/tokens/token-types.ts';
import { StageId, TokenType } from '../../../src/wasm/generated/analysis.ts';

test('each stage has its own id', () => {
  expect(new Set(Object.values(StageId)).size).toBe(Object.keys(StageId).length);
});

test('a name has the id of the kernels', () => {
  for (const [key, id] of Object.entries(TokenType)) {
    expect(typeName(id).replace(/[<>]/g, '').toUpperCase()).toBe(key);
    expect(typeIdOf(typeName(id))).toBe(id);
  }
});

test('an unknown name gets an id of its own', () => {
  const id = typeIdOf('holiday');
  expect(typeName(id)).toBe('holiday');
  expect(typeIdOf('holiday')).toBe(id);
  expect(typeIdOf('birthday')).toBe(id + 1);
});
