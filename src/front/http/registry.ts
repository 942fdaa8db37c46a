/**
 * All modules of the http server, in order of execution within each phase. A module is loaded when the configuration names one of its
 * directives or variables, so that a small configuration starts fast. Adding a module touches one line here.
 */
import type { HttpModule } from './module.ts';

interface Entry {
  load: () => Promise<HttpModule[]>;
  /** names of directives (a trailing `*` stands for a prefix) */
  directives: string;
  variables?: string;
}

export const REGISTRY: Entry[] = [
  {
    load: async () => [(await import('./core.ts')).core, (await import('./modules/rewrite.ts')).rewriteModule],
    directives: '*',
  },
  { load: async () => [(await import('./modules/conditional.ts')).conditionalModule], directives: '*' },
  { load: async () => [(await import('./modules/headers.ts')).headersModule], directives: 'add_header* add_trailer* expires' },
  { load: async () => [(await import('./modules/access-log.ts')).accessLogModule], directives: '*' },
  {
    load: async () => {
      const m = await import('./modules/static.ts');
      return [m.indexModule];
    },
    directives: '*',
  },
  { load: async () => [(await import('./modules/static.ts')).staticModule], directives: '*' },
];

const matches = (patterns: string, name: string): boolean =>
  patterns.split(' ').some((p) => (p.endsWith('*') ? name.startsWith(p.slice(0, -1)) : p === name));

/** Modules that a configuration needs. @param names directives in use; @param variables variables in use */
export async function loadModules(names: Iterable<string>, variables: Iterable<string>): Promise<HttpModule[]> {
  const directives = [...names];
  const used = [...variables];
  const wanted = REGISTRY.filter(
    (entry) =>
      entry.directives === '*' ||
      directives.some((name) => matches(entry.directives, name)) ||
      (entry.variables !== undefined && used.some((name) => matches(entry.variables!, name))),
  );
  return (await Promise.all(wanted.map((entry) => entry.load()))).flat();
}
