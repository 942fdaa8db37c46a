// The directive reference of the front, from its directive tables: contexts, number of arguments, default.
import { allDirectives, type Directive } from '../../src/front/commands/directive-index.ts';
import { code, row, table } from './markdown.ts';

const countText = ({ min, max, hasBlock }: Directive): string => `${min === max ? min : `${min}-${max ?? ''}`}${hasBlock ? ' {}' : ''}`;

export async function frontDirectives(): Promise<string> {
  const sections = new Map<string, string[]>();
  for (const directive of await allDirectives()) {
    const { name, block, module, contexts, defaultText } = directive;
    const heading = block === 'http' || block === 'main' ? module : `${block}: ${module}`;
    const rows = sections.get(heading) ?? [];
    rows.push(row(code(name), countText(directive), contexts.join(', '), defaultText ? code(defaultText) : ''));
    sections.set(heading, rows);
  }
  return [...sections]
    .map(([heading, rows]) => `## ${heading}\n\n${table(['directive', 'arguments', 'contexts', 'default'], rows)}`)
    .join('\n\n');
}
