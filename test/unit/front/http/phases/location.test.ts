// The choice of a location by its URI, against nginx's rule applied to a plain list.
import { expect, test } from 'vitest';
import { Loc } from '../../../../../src/front/http/model/types.ts';
import { findLocation, indexLocations } from '../../../../../src/front/http/phases/location.ts';
import { Rng } from '../../../../support/rng.ts';

interface Given {
  readonly kind: 'exact' | 'prefix' | 'noregex';
  readonly name: string;
  readonly proxies: boolean;
}

function levelOf(given: readonly Given[]): Loc {
  const level = new Loc();
  for (const { kind, name, proxies } of given) {
    const loc = new Loc(level);
    loc.kind = kind;
    loc.name = name;
    loc.autoRedirect = proxies && name.endsWith('/');
    level.children.push(loc);
  }
  indexLocations(level);
  return level;
}

function find(level: Loc, uri: string): { found: string; name: string } {
  const r = { uri, loc: level, setNamed: () => undefined };
  const found = findLocation(r);
  return { found, name: r.loc.name };
}

/** An exact name; the name with a slash if it redirects; the longest prefix. */
function expected(given: readonly Given[], uri: string): { found: string; name: string } {
  const named = (name: string): Given | undefined =>
    given.find((one) => one.kind === 'exact' && one.name === name) ?? given.find((one) => one.kind !== 'exact' && one.name === name);
  if (given.some(({ kind, name }) => kind === 'exact' && name === uri)) return { found: 'exact', name: uri };
  const prefixes = given.filter(({ kind, name }) => kind !== 'exact' && uri.startsWith(name));
  const best = prefixes.sort((a, b) => b.name.length - a.name.length)[0];
  const slashed = named(`${uri}/`);
  if (best?.name !== uri && slashed?.proxies) return { found: 'redirect', name: slashed.name };
  return best ? { found: 'inclusive', name: best.name } : { found: 'none', name: '' };
}

test('locations are chosen according to the rule, for random locations', () => {
  const rng = new Rng(3);
  const names = ['/', '/a', '/a/', '/ab/', '/a/b', '/a/b/', '//', '/b/'];
  for (let round = 0; round < 300; round++) {
    const given: Given[] = [];
    for (const name of names) {
      if (rng.bool(0.2)) given.push({ kind: 'exact', name, proxies: rng.bool() });
      if (rng.bool(0.4)) given.push({ kind: rng.pick(['prefix', 'noregex']), name, proxies: rng.bool() });
    }
    const level = levelOf(rng.shuffle(given));
    for (const uri of [...names, '/ab', '/b', '/a/b/c', '/x', '']) {
      expect(find(level, uri), `${uri} among ${JSON.stringify(given)}`).toEqual(expected(given, uri || '/'));
    }
  }
});

test('a nested location is chosen within the one that contains it', () => {
  const level = new Loc();
  const outer = Object.assign(new Loc(level), { kind: 'prefix', name: '/a/' });
  const inner = Object.assign(new Loc(outer), { kind: 'prefix', name: '/a/b/', autoRedirect: true });
  level.children.push(outer);
  outer.children.push(inner);
  indexLocations(level);
  expect(find(level, '/a/b/c')).toEqual({ found: 'inclusive', name: '/a/b/' });
  expect(find(level, '/a/c')).toEqual({ found: 'inclusive', name: '/a/' });
  expect(find(level, '/a/b')).toEqual({ found: 'redirect', name: '/a/b/' });
});
