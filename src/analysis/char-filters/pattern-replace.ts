import type { JavaPattern } from '../../regex/java-pattern.ts';
import type { Replacement } from '../../regex/replacement.ts';
import type { CharFilter } from '../component.ts';
import { OffsetMap } from './offset-map.ts';

/** Replaces every match in the whole text, and records how offsets change. */
export function patternReplaceFilter(pattern: JavaPattern, replacement: Replacement): CharFilter {
  return {
    kind: 'host',
    apply(input) {
      const { text } = input;
      const map = new OffsetMap();
      const matcher = pattern.matcher(text);
      let out = '';
      let last = 0;
      let diff = 0;
      while (matcher.find()) {
        out += text.slice(last, matcher.start);
        last = matcher.end;
        const before = out.length;
        out += replacement.apply(matcher);
        const matched = matcher.end - matcher.start;
        const replaced = out.length - before;
        if (replaced < matched) {
          diff += matched - replaced;
          map.add(before + replaced, diff);
        } else for (let i = matched; i < replaced; i++) map.add(before + i, --diff);
      }
      return map.over(input, out + text.slice(last));
    },
  };
}
