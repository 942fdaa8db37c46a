// The directive reference of the front, from the directive tables of src/front: contexts, number of arguments, default.
import { ANY_COUNT, CONTEXT_NAMES } from '../../src/front/config/directive.ts';
import { REGISTRY } from '../../src/front/http/build/registry.ts';
import { code, row, table } from './markdown.ts';

export async function frontDirectives(): Promise<string> {
  const seen = new Set<string>();
  const parts: string[] = [];
  for (const entry of REGISTRY) {
    for (const module of await entry.load()) {
      if (seen.has(module.name)) continue;
      seen.add(module.name);
      const rows = Object.entries(module.table)
        .filter(([, spec]) => spec.contexts !== 0)
        .map(([name, spec]) => {
          const contexts = CONTEXT_NAMES.filter(([bit]) => spec.contexts & bit).map(([, contextName]) => contextName);
          const count = spec.min === spec.max ? `${spec.min}` : `${spec.min}-${spec.max >= ANY_COUNT ? '' : spec.max}`;
          return row(code(name), `${count}${spec.block ? ' {}' : ''}`, contexts.join(', '), spec.defaultText ? code(spec.defaultText) : '');
        });
      if (rows.length > 0) parts.push(`## ${module.name}\n\n${table(['directive', 'arguments', 'contexts', 'default'], rows)}`);
    }
  }
  return parts.join('\n\n');
}
