// modern_browser and ancient_browser: the age of the browser according to the User-Agent field.
import { ANY_COUNT, again, custom, HSL, text } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { HttpModule, Request } from '../../model/types.ts';

interface Modern {
  /** Bytes at the start of the field that cannot contain the token. */
  skip: number;
  mark: string;
  /** Bytes from the start of the token to the version. */
  add: number;
  version: number;
}

/** Positions of versions, in the order in which tokens are searched: Opera's field names other browsers, too. */
const MASKS: Record<string, Omit<Modern, 'version'>> = {
  opera: { skip: 0, mark: 'Opera', add: 'Opera '.length },
  msie: { skip: 'Mozilla/4.0 (compatible; '.length, mark: 'MSIE ', add: 'MSIE '.length },
  gecko: { skip: 'Mozilla/5.0 ('.length, mark: 'rv:', add: 'rv:'.length },
  safari: { skip: 'Mozilla/5.0 ('.length, mark: 'Safari/', add: 'Safari/'.length },
  konqueror: { skip: 'Mozilla/5.0 (compatible; '.length, mark: 'Konqueror/', add: 'Konqueror/'.length },
};

/** `5.1.2` as one number, two digits for each part after the first. */
function versionAt(text: string, from: number): number {
  let version = 0;
  let scale = 1_000_000;
  for (const part of (/^\d*(?:\.\d*){0,3}/.exec(text.slice(from, from + 40)) ?? [''])[0].split('.')) {
    version += Number(part || 0) * scale;
    scale /= 100;
  }
  return version;
}

interface Browsers {
  list: Map<string, Modern>;
  unlisted: boolean;
}

function parseModern(f: HttpFrame, previous: Browsers = { list: new Map(), unlisted: false }): Browsers {
  const [name, version] = f.args;
  if (f.args.length === 1) {
    if (name !== 'unlisted') f.invalid(name);
    return { ...previous, unlisted: true };
  }
  const mask = Object.hasOwn(MASKS, name) ? MASKS[name] : f.fail(`unknown browser name "${name}"`);
  if (!/^\d+(\.\d+){0,3}$/.test(version)) f.fail(`invalid browser version "${version}"`);
  previous.list.set(name, { ...mask, version: versionAt(version, 0) });
  return previous;
}

const table = {
  modern_browser: custom<Browsers | null>(HSL, [1, 2], null, parseModern, { repeats: true }),
  ancient_browser: custom<string[] | null>(HSL, [1, ANY_COUNT], null, (f: HttpFrame, previous = []) => [...previous, ...f.args], {
    repeats: true,
  }),
  modern_browser_value: again(text(HSL, '1')),
  ancient_browser_value: again(text(HSL, '1')),
};

type Age = 'modern' | 'ancient';

function ageOf(r: Request): Age {
  const { modern_browser: modern, ancient_browser: ancient } = browserModule.conf(r.loc);
  const others: Age = modern?.unlisted ? 'modern' : 'ancient';
  const agent = r.headerIn('user-agent');
  if (agent === null) return others;
  for (const name of Object.keys(MASKS)) {
    const browser = modern?.list.get(name);
    if (!browser || browser.skip >= agent.length) continue;
    const at = agent.indexOf(browser.mark, browser.skip);
    if (at < 0) continue;
    return versionAt(agent, at + browser.add) >= browser.version ? 'modern' : 'ancient';
  }
  if (ancient?.some((word) => (word === 'netscape4' ? /^Mozilla\/[1-4]/.test(agent) : agent.includes(word)))) return 'ancient';
  return others;
}

const age = (name: string, wanted: Age, value: (r: Request) => string) => ({
  name,
  get: (r: Request) => (ageOf(r) === wanted ? value(r) : ''),
});

export const browserModule: HttpModule<typeof table> = defineModule('browser', table, {
  variables: [
    age('modern_browser', 'modern', (r) => browserModule.conf(r.loc).modern_browser_value),
    age('ancient_browser', 'ancient', (r) => browserModule.conf(r.loc).ancient_browser_value),
    {
      name: 'msie',
      get(r) {
        const agent = r.headerIn('user-agent') ?? '';
        return /MSIE ..../s.test(agent) && !agent.includes('Opera') ? '1' : '';
      },
    },
  ],
});
