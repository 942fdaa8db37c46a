// The table of ARCHITECTURE.md with the arrows between folders.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { MAP, ROOMS } from '../import-map.ts';
import { code, row, table } from './markdown.ts';

/** `.` in the map: the files of a folder outside its rooms. */
const OWN_FILES = 'the files outside rooms';

function arrows(root: string, map: Readonly<Record<string, string>>): string {
  const rows = Object.entries(map).map(([unit, targets]) => {
    const name = existsSync(path.join(root, `${unit}.ts`)) && !existsSync(path.join(root, unit)) ? `${unit}.ts` : unit;
    const list = targets
      .split(' ')
      .sort()
      .map((target) => (target === '.' ? OWN_FILES : target));
    return row(code(name), targets === '' ? 'nothing' : list.join(', '));
  });
  return table(['folder', 'may import'], rows);
}

/** @param root  folder of the project */
export function importArrows(root: string): string {
  return `${arrows(root, MAP)}\n\nOf the rooms next to it, a room may import:\n\n${arrows(root, ROOMS)}`;
}
