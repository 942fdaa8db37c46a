// Registry entries of character filters. html_strip and mapping are kernels; pattern_replace runs on the host, once per text.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { compilePattern } from '../../regex/java-flags.ts';
import { Replacement } from '../../regex/replacement.ts';
import type { BuildContext, CharFilter, CharFilterFactory, ComponentEntry } from '../component.ts';
import { htmlStripFilter } from './html-strip.ts';
import { mappingFilter, mappingRules } from './mapping.ts';
import { patternReplaceFilter } from './pattern-replace.ts';

function charFilterEntry(
  type: string,
  params: readonly string[],
  normalizing: boolean,
  make: (context: BuildContext) => CharFilter,
): ComponentEntry<CharFilterFactory> {
  return {
    type,
    params,
    build(context) {
      const filter = make(context);
      return { name: context.name, normalizing, create: () => filter };
    },
  };
}

export const CHAR_FILTER_ENTRIES: readonly ComponentEntry<CharFilterFactory>[] = [
  charFilterEntry('html_strip', ['escaped_tags: list'], false, ({ settings }) => htmlStripFilter(settings.list('escaped_tags') ?? [])),
  charFilterEntry('mapping', ['mappings: list', 'mappings_path: string'], true, (context) => mappingFilter(mappingRules(context))),
  charFilterEntry('pattern_replace', ['pattern: string', 'flags: string', 'replacement: string = ""'], true, ({ name, settings }) => {
    const source = settings.get('pattern');
    if (!source) throw illegalArgumentError(`pattern is missing for [${name}] char filter of type 'pattern_replace'`);
    const pattern = compilePattern(source, settings.get('flags'));
    return patternReplaceFilter(pattern, new Replacement(settings.get('replacement', ''), pattern));
  }),
];
