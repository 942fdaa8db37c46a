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

test('a name that no component produces has no id', () => {
  expect(typeIdOf('holiday')).toBeNull();
});
