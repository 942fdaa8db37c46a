// Conditions of affix rules: patterns, one test per character, that a word must match at the side of the affix before the affix is added.
// Source: hunspell(5), PFX and SFX; conditions shorter than the stripped string are interpreted as in Lucene.

/** Test of one character: any, one of a set, or none of a set. */
interface CharacterTest {
  readonly characters: string;
  readonly negated: boolean;
}

/** Tests what remains of a word without the affix: its end for suffixes, its start for prefixes. */
export type Condition = (rest: string) => boolean;

const NEVER: Condition = () => false;

/**
 * @param strip     string that the rule removes from the word before it adds the affix
 * @param condition `.`, literal characters, `[abc]`, `[^abc]`
 * @returns null if the condition is always true
 */
export function compileCondition(isPrefix: boolean, strip: string, condition: string): Condition | null {
  const isLiteral = !/[[.-]/.test(condition);
  if (condition === '.') return null;
  if (isPrefix ? strip.startsWith(condition) : isLiteral && strip.endsWith(condition)) return null;
  if (isLiteral) {
    if (isPrefix) {
      const start = condition.slice(strip.length);
      return condition.startsWith(strip) ? (rest) => rest.startsWith(start) : NEVER;
    }
    const end = condition.slice(0, condition.length - strip.length);
    return condition.endsWith(strip) ? (rest) => rest.endsWith(end) : NEVER;
  }
  const tests = parseTests(condition);
  const more = tests.length - strip.length;
  if (more <= 0) return matches(tests, strip, isPrefix ? -more : 0) ? null : NEVER;
  if (isPrefix) {
    const stem = tests.slice(strip.length);
    return matches(tests.slice(0, strip.length), strip, 0) ? (rest) => matches(stem, rest, 0) : NEVER;
  }
  const stem = tests.slice(0, more);
  return matches(tests.slice(more), strip, 0) ? (rest) => matches(stem, rest, rest.length - more) : NEVER;
}

function parseTests(condition: string): CharacterTest[] {
  const tests: CharacterTest[] = [];
  for (let i = 0; i < condition.length; i++) {
    const character = condition[i];
    if (character === '[') {
      // An unclosed bracket extends to the end of the condition.
      const close = condition.indexOf(']', i + 1);
      const inside = condition.slice(i + 1, close < 0 ? condition.length : close);
      const negated = inside.startsWith('^');
      tests.push({ characters: inside.slice(negated ? 1 : 0), negated });
      i = close < 0 ? condition.length : close;
    } else tests.push(character === '.' ? { characters: '', negated: true } : { characters: character, negated: false });
  }
  return tests;
}

function matches(tests: readonly CharacterTest[], text: string, from: number): boolean {
  if (from < 0 || from + tests.length > text.length) return false;
  return tests.every(({ characters, negated }, i) => characters.includes(text[from + i]) !== negated);
}
