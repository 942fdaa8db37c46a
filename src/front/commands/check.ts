// `gannet front check`: all errors of a configuration with their lines and hints, its warnings, and the directives without effect.

import { ConfigError, type DirectiveNode, parseConfig } from '../config/syntax.ts';
import type { Options } from '../process/command-line.ts';
import { type Places, reviewCycle } from '../process/cycle.ts';
import { allDirectives, allVariables } from './directive-index.ts';
import { hintFor } from './hints.ts';
import { type Ineffective, sameResult } from './no-effect.ts';

export interface Problem {
  readonly level: 'error' | 'warning';
  /** null if nginx reports the problem without a location */
  readonly place: { readonly file: string; readonly line: number } | null;
  /** in nginx's words */
  readonly message: string;
  readonly hint: string | null;
}

export interface CheckResult {
  readonly problems: readonly Problem[];
  readonly ineffective: readonly Ineffective[];
}

/** The last ` in FILE:LINE`. */
const PLACE = /^(.*) in (\/.*):(\d+)$/s;
const NO_EFFECT =
  /^(?:the )?"(\S+)" (?:directive |parameter )?(has no effect in this server|is not supported.*|is obsolete, ignored|parameter of .*), ignored$/s;

/** Checks the configuration that `options` name; opens no logs and binds no sockets. */
export async function checkConfig(options: Options, places: Places): Promise<CheckResult> {
  const found: { level: Problem['level']; message: string }[] = [];
  let nodes: DirectiveNode[] = [];
  try {
    ({ nodes } = parseConfig(places.confFile, places.confPrefix, options.globals));
    const seen = new Set<string>();
    await reviewCycle(nodes, places, {
      error: ({ message }) => found.push({ level: 'error', message }),
      warn: (message) => {
        if (!seen.has(message)) found.push({ level: 'warning', message });
        seen.add(message);
      },
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    found.push({ level: 'error', message: error.message });
  }
  return explain(found, nodes);
}

async function explain(found: readonly { level: Problem['level']; message: string }[], nodes: DirectiveNode[]): Promise<CheckResult> {
  const problems: Problem[] = [];
  const ineffective = sameResult(nodes);
  const hasErrors = found.some(({ level }) => level === 'error');
  const directives = hasErrors ? await allDirectives() : [];
  const variables = hasErrors ? await allVariables() : [];
  for (const { level, message: text } of found) {
    const match = PLACE.exec(text);
    const message = match ? match[1] : text;
    const place = match ? { file: match[2], line: Number(match[3]) } : placeOfUse(message, nodes);
    const useless = level === 'warning' ? NO_EFFECT.exec(message) : null;
    if (useless && place) {
      ineffective.push({
        ...place,
        name: useless[1],
        why: useless[2].startsWith('parameter') ? `a parameter of listen that is not supported` : useless[2],
      });
      continue;
    }
    const node = place && nodeAt(nodes, place);
    problems.push({ level, place, message, hint: level === 'error' ? hintFor(message, { directives, variables, node }) : null });
  }
  problems.sort((a, b) => byPlace(a.place, b.place));
  ineffective.sort(byPlace);
  return { problems, ineffective };
}

/** Orders by file and line; problems without a location come last. */
function byPlace(a: Problem['place'], b: Problem['place']): number {
  if (!a || !b) return (a ? 0 : 1) - (b ? 0 : 1);
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1;
}

/** Finds where a variable, a zone or a file is used, which nginx's message about it does not say. */
function placeOfUse(message: string, nodes: readonly DirectiveNode[]): Problem['place'] {
  const variable = /^unknown "(\w+)" variable$/.exec(message)?.[1];
  if (variable !== undefined) {
    const used = new RegExp(`\\$(?:${variable}(?![a-z0-9_])|\\{${variable}\\})`, 'i');
    return findNode(nodes, ({ args }) => args.some((arg) => used.test(arg)));
  }
  const zone = /^zero size shared memory zone "(.*)"$/s.exec(message)?.[1];
  if (zone !== undefined) return findNode(nodes, ({ args }) => args.includes(zone) || args.includes(`zone=${zone}`));
  for (const [, name] of message.matchAll(/"([^"]+)"/g)) {
    // messages show files with the prefix of relative names
    const found = findNode(nodes, ({ args }) => args.some((arg) => arg === name || (name.startsWith('/') && name.endsWith(`/${arg}`))));
    if (found) return found;
  }
  return null;
}

const nodeAt = (nodes: readonly DirectiveNode[], { file, line }: { file: string; line: number }): DirectiveNode | null =>
  findNode(nodes, (node) => node.file === file && node.line === line);

function findNode(nodes: readonly DirectiveNode[], fits: (node: DirectiveNode) => boolean): DirectiveNode | null {
  for (const node of nodes) {
    const found = fits(node) ? node : findNode(node.children ?? [], fits);
    if (found) return found;
  }
  return null;
}
