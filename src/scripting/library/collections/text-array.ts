// Arrays of strings.
import { spendBytes } from '../../java/budget.ts';
import { DEF, typeNamed } from '../../java/class-info.ts';
import { JavaArray, type Value } from '../../java/values.ts';

/** Strings in a Java array. */
export function textArray(items: readonly string[]): JavaArray {
  spendBytes(items.reduce((sum, item) => sum + item.length + 16, 16));
  return new JavaArray([...items], typeNamed('String') ?? DEF);
}

export const defArray = (items: readonly Value[]): JavaArray => {
  spendBytes((items.length + 1) * 16);
  return new JavaArray([...items], DEF);
};
