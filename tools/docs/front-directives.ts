// The directive reference of the front, from the directive tables of src/front: contexts, number of arguments, default.
import { ANY_COUNT, CONTEXT_NAMES, HTTP, SERVER, type Table, UPSTREAM } from '../../src/front/config/directive.ts';
import { REGISTRY } from '../../src/front/http/build/registry.ts';
import { MAIL_MODULES, NOT_IN_MAIL } from '../../src/front/mail/build.ts';
import { allStreamModules } from '../../src/front/stream/registry.ts';
import { code, row, table } from './markdown.ts';

/** Contexts that blocks other than http have; directives shared with http allow more. */
const OTHER_CONTEXTS = HTTP | SERVER | UPSTREAM;

/** @param block  name of the outermost context */
function section(heading: string, directives: Table, block: 'http' | 'stream' | 'mail'): string[] {
  const rows = Object.entries(directives)
    .filter(([, spec]) => spec.contexts !== 0)
    .map(([name, spec]) => {
      const known = block === 'http' ? spec.contexts : spec.contexts & OTHER_CONTEXTS;
      const contexts = CONTEXT_NAMES.filter(([bit]) => known & bit).map(([bit, context]) => (bit === HTTP ? block : context));
      const count = spec.min === spec.max ? `${spec.min}` : `${spec.min}-${spec.max >= ANY_COUNT ? '' : spec.max}`;
      return row(code(name), `${count}${spec.block ? ' {}' : ''}`, contexts.join(', '), spec.defaultText ? code(spec.defaultText) : '');
    });
  return rows.length > 0 ? [`## ${heading}\n\n${table(['directive', 'arguments', 'contexts', 'default'], rows)}`] : [];
}

const withoutNames = (table: Table, names: ReadonlySet<string>): Table =>
  Object.fromEntries(Object.entries(table).filter(([name]) => !names.has(name)));

export async function frontDirectives(): Promise<string> {
  const http = new Set((await Promise.all(REGISTRY.map((entry) => entry.load()))).flat());
  return [
    ...[...http].flatMap((module) => section(module.name, module.table, 'http')),
    ...(await allStreamModules()).flatMap((module) => section(`stream: ${module.name.replace(/^stream_/, '')}`, module.table, 'stream')),
    ...MAIL_MODULES.flatMap((module) =>
      section(`mail: ${module.name.replace(/^mail_/, '')}`, withoutNames(module.table, NOT_IN_MAIL), 'mail'),
    ),
  ].join('\n\n');
}
