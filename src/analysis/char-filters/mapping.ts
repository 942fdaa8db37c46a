// Mapping: parses its rules and encodes them for the kernel.
import { javaTrim } from '../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { StageId } from '../../wasm/generated/analysis.ts';
import { joinConfigs, words } from '../blob.ts';
import type { BuildContext, CharFilter } from '../component.ts';
import { atLine, hexNumber, ruleLines, runtimeError } from '../languages/word-lists.ts';

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  replacement: string | null;
  offset: number;
}

const newNode = (): TrieNode => ({ next: new Map(), replacement: null, offset: 0 });

/** Encodes rules as a trie; assembly/analysis/char-filters/mapping.ts has the layout. */
function mappingConfig(rules: ReadonlyMap<string, string>): Uint8Array {
  const nodes: TrieNode[] = [newNode()];
  const firsts = new Uint8Array(8192);
  for (const [from, to] of rules) {
    firsts[from.charCodeAt(0) >> 3] |= 1 << (from.charCodeAt(0) & 7);
    let node = nodes[0];
    for (let i = 0; i < from.length; i++) {
      let next = node.next.get(from.charCodeAt(i));
      if (!next) {
        next = newNode();
        nodes.push(next);
        node.next.set(from.charCodeAt(i), next);
      }
      node = next;
    }
    node.replacement = to;
  }
  let offset = firsts.length;
  for (const node of nodes) {
    node.offset = offset;
    offset += 8 + node.next.size * 8;
  }
  const replacements: Uint8Array[] = [];
  const records = nodes.map(({ next, replacement }) => {
    const edges = [...next].sort((a, b) => a[0] - b[0]).flatMap(([unit, node]) => [unit, node.offset]);
    if (replacement === null) return words([next.size, 0, ...edges]);
    const units = Uint16Array.from({ length: replacement.length }, (_, i) => replacement.charCodeAt(i));
    const at = offset;
    replacements.push(words([units.length], new Uint8Array(units.buffer)));
    offset += 4 + units.byteLength;
    return words([next.size, at, ...edges]);
  });
  return joinConfigs([firsts, ...records, ...replacements]);
}

export function mappingFilter(rules: ReadonlyMap<string, string>): CharFilter {
  return { kind: 'kernel', stage: { id: StageId.MAPPING, config: mappingConfig(rules) } };
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** Resolves the escapes of rule files. @throws ApiError runtime_exception, number_format_exception */
export function unescapeRule(text: string): string {
  return text.replace(/\\(u[\s\S]{4}|[\s\S]|$)/g, (_, code: string) => {
    if (code.length === 5) return String.fromCharCode(hexNumber(code.slice(1)));
    if (code === '' || code === 'u') throw runtimeError(`Invalid escaped char in [${text}]`);
    return ESCAPES[code] ?? code;
  });
}

/** The sides of `a => b`, split at the last arrow; null if there is none. */
export function splitRule(rule: string): [string, string] | null {
  const match = /^([\s\S]*)=>([\s\S]*)$/.exec(rule);
  return match && [javaTrim(match[1]), javaTrim(match[2])];
}

/** Rules of the parameters `mappings` or `mappings_path`. @throws ApiError */
export function mappingRules(context: BuildContext): Map<string, string> {
  const lines = ruleLines(context, 'mappings');
  if (!lines) throw illegalArgumentError('mapping requires either `mappings` or `mappings_path` to be configured');
  const rules = new Map<string, string>();
  for (const line of lines) {
    const sides = splitRule(line.text);
    if (!sides) throw runtimeError(`Line [${line.number}]: Invalid mapping rule : [${line.text}]`);
    const [from, to] = atLine(line.number, () => sides.map(unescapeRule));
    if (from === '') throw illegalArgumentError('cannot match the empty string');
    if (rules.has(from)) throw illegalArgumentError(`match "${from}" was already added`);
    rules.set(from, to);
  }
  return rules;
}
