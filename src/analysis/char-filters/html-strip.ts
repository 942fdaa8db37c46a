// HTML strip: compiles the grammar of tags to automata and encodes the sets of tags and entities for the kernel that strips.

import { compileMachines, type Machines } from '../../regex/machine.ts';
import { parseJavaRegex } from '../../regex/parser.ts';
import { FLAG } from '../../regex/syntax.ts';
import { HtmlEscape, HtmlStripConfig, StageId } from '../../wasm/generated/analysis.ts';
import { joinConfigs, recordBytes, termMap, termSet, words } from '../blob.ts';
import type { CharFilter } from '../component.ts';
import { lowerCodePoints } from '../languages/word-lists.ts';
import { ENTITIES } from './html-entities.ts';

const INLINE =
  'a b i q s u abbr acronym basefont bdo big cite code dfn em font img input kbd label samp select small span strike strong sub sup textarea tt var';

const QUOTED = `(?:'(?:\\\\'|[^'])*'|"(?:\\\\"|[^"])*")`;
const NAME = '[:_\\p{IsID_Start}][-.:_\\p{IsID_Continue}]*';
const SPACE = '[ \\t\\n\\r\\u000b\\f\\u0085\\u2028\\u2029]';
const SSI = `<!--#(?:[^'"]|${QUOTED})*-->`;
const CONTENT = `(?:[^<>]|${SSI}|${SPACE}+${NAME}${SPACE}*=${SPACE}*${QUOTED})*`;
const TAIL = `(?:=${SPACE}*)?${CONTENT}${SPACE}*/?>`;

/** Expressions in the order of the machines in HtmlStripConfig: the rest of a tag, a name, br, script and style tags, processing instructions. */
const EXPRESSIONS = [
  TAIL,
  NAME,
  `${SPACE}*br${TAIL}`,
  `${SPACE}*script(?:${CONTENT})?${SPACE}*>`,
  `${SPACE}*style(?:${CONTENT})?${SPACE}*>`,
  '\\?[^>]*[/?]>',
];

/** Tags that the kernel escapes by a flag. */
const SPECIAL: Readonly<Record<string, number>> = { br: HtmlEscape.BR, script: HtmlEscape.SCRIPT, style: HtmlEscape.STYLE };

/** Compiled on first use. */
let machines: Machines | null = null;

function compiled(): Machines {
  machines ??= compileMachines(EXPRESSIONS.map((source) => parseJavaRegex(source, FLAG.CASE_INSENSITIVE | FLAG.DOTALL).node));
  return machines;
}

/** Config of the html_strip stage; assembly/analysis/char-filters/html-strip.ts has the layout. */
function htmlStripConfig(escapedTags: readonly string[]): Uint8Array {
  const { classCount, ascii, ranges, tables } = compiled();
  const escaped = escapedTags.map(lowerCodePoints);
  const parts = [
    termSet(INLINE.split(' ')),
    termSet(escaped.filter((tag) => !Object.hasOwn(SPECIAL, tag))),
    termMap([...ENTITIES].map(([name, char]) => [name, words([char.charCodeAt(0)])])),
    ...tables.map((table) => new Uint8Array(table.buffer)),
    joinConfigs([words([classCount], ascii), words([ranges.length, ...ranges.flat()])]),
  ].map((part) => joinConfigs([part, new Uint8Array(-part.length & 3)]));
  let offset: number = HtmlStripConfig.sizeof;
  const [inlineTagsOff, escapedTagsOff, entitiesOff, tailOff, nameOff, brOff, scriptOff, styleOff, instructionOff, classesOff] = parts.map(
    (part) => {
      const at = offset;
      offset += part.length;
      return at;
    },
  );
  const values = {
    inlineTagsOff,
    escapedTagsOff,
    entitiesOff,
    escaped: escaped.reduce((sum, tag) => sum | (SPECIAL[tag] ?? 0), 0),
    tailOff,
    nameOff,
    brOff,
    scriptOff,
    styleOff,
    instructionOff,
    classesOff,
  };
  return recordBytes(HtmlStripConfig, values, joinConfigs(parts));
}

export function htmlStripFilter(escapedTags: readonly string[]): CharFilter {
  return { kind: 'kernel', stage: { id: StageId.HTML_STRIP, config: htmlStripConfig(escapedTags) } };
}
