// Mapping: replaces texts by texts, the longest match first.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import type { BuildContext, CharFilter } from '../component.ts';
import { readLines, runtimeError } from '../word-lists.ts';
import { OffsetMap } from './offset-map.ts';

interface TrieNode {
  next: Map<number, TrieNode>;
  replacement: string | null;
}

export function mappingFilter(rules: ReadonlyMap<string, string>): CharFilter {
  const root: TrieNode = { next: new Map(), replacement: null };
  for (const [from, to] of rules) {
    let node = root;
    for (let i = 0; i < from.length; i++) {
      let next = node.next.get(from.charCodeAt(i));
      if (!next) {
        next = { next: new Map(), replacement: null };
        node.next.set(from.charCodeAt(i), next);
      }
      node = next;
    }
    node.replacement = to;
  }
  return {
    apply(input) {
      const { text } = input;
      const map = new OffsetMap();
      let out = '';
      let plain = 0;
      for (let at = 0; at < text.length; ) {
        let node = root.next.get(text.charCodeAt(at));
        let replacement: string | null = null;
        let matchEnd = at;
        for (let i = at + 1; node; i++) {
          if (node.replacement !== null) {
            replacement = node.replacement;
            matchEnd = i;
          }
          node = node.next.get(text.charCodeAt(i));
        }
        if (replacement === null) {
          at++;
          continue;
        }
        out += text.slice(plain, at) + replacement;
        const diff = matchEnd - at - replacement.length;
        const before = map.lastDiff;
        if (diff > 0) map.add(matchEnd - diff - before, before + diff);
        else for (let extra = 0; extra < -diff; extra++) map.add(matchEnd - before + extra, before - extra - 1);
        at = plain = matchEnd;
      }
      return plain === 0 && out === '' ? input : map.over(input, out + text.slice(plain));
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** Escapes of rule files. @throws ApiError runtime_exception */
export function unescapeRule(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|[\s\S]|$)/g, (_, code: string) => {
    if (code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (code === '' || code === 'u') throw runtimeError(`Invalid escaped char in [${text}]`);
    return ESCAPES[code] ?? code;
  });
}

/** Rules of the parameters `mappings` or `mappings_path`. @throws ApiError */
export function mappingRules(context: BuildContext): Map<string, string> {
  const { settings } = context;
  const path = settings.get('mappings_path');
  const lines = path !== undefined ? readLines(context, path, 'mappings_path') : settings.list('mappings');
  if (!lines) throw illegalArgument('mapping requires either `mappings` or `mappings_path` to be configured');
  const rules = new Map<string, string>();
  lines.forEach((line, i) => {
    const match = /^([\s\S]*)\s*=>\s*([\s\S]*)\s*$/.exec(line);
    if (!match) throw runtimeError(`Line [${i + 1}]: Invalid mapping rule : [${line}]`);
    let from: string;
    let to: string;
    try {
      from = unescapeRule(match[1].trim());
      to = unescapeRule(match[2].trim());
    } catch (error) {
      if (error instanceof ApiError) throw runtimeError(`Line [${i + 1}]: ${error.reason}`);
      throw error;
    }
    if (from === '') throw illegalArgument('cannot match the empty string');
    if (rules.has(from)) throw runtimeError(`Line [${i + 1}]: match "${from}" was already added`);
    rules.set(from, to);
  });
  return rules;
}
