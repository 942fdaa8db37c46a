// Writes the reference part of docs/front.md from the directive tables of src/front: every directive, where it may stand, its default.
//   npx tsx tools/front-reference.ts          rewrites the part between the two marks in docs/front.md
import { readFileSync, writeFileSync } from 'node:fs';
import { CONTEXT_NAMES } from '../src/front/config/directive.ts';
import { REGISTRY } from '../src/front/http/build/registry.ts';

const START = '<!-- reference: written by tools/front-reference.ts -->';
const END = '<!-- end of reference -->';

const seen = new Set<string>();
let out = '';
for (const entry of REGISTRY) {
  for (const module of await entry.load()) {
    if (seen.has(module.name)) continue;
    seen.add(module.name);
    const rows = Object.entries(module.table)
      .filter(([, spec]) => spec.contexts !== 0)
      .map(([name, spec]) => {
        const where = CONTEXT_NAMES.filter(([bit]) => spec.contexts & bit).map(([, text]) => text);
        const count = spec.min === spec.max ? `${spec.min}` : `${spec.min}-${spec.max >= 64 ? '' : spec.max}`;
        return `| \`${name}\` | ${count}${spec.block ? ' {}' : ''} | ${where.join(', ')} | ${spec.defaultText ? `\`${spec.defaultText}\`` : ''} |`;
      });
    if (rows.length === 0) continue;
    out += `\n### ${module.name}\n\n| directive | arguments | contexts | default |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  }
}
const file = new URL('../docs/front.md', import.meta.url);
const text = readFileSync(file, 'utf8');
const [before, rest] = text.split(START);
writeFileSync(file, `${before}${START}\n${out}\n${END}${rest.split(END)[1] ?? '\n'}`);
