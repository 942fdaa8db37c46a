// Scripts of `condition` and `predicate_token_filter`: Painless over `token`.
import { compileScript } from '../scripting/painless.ts';
import type { Token } from './token-stream.ts';

/** @param position absolute, from 0, counted up to this token */
export type TokenPredicate = (token: Token, position: number) => boolean;

/** The token as a script sees it; each has a getter and a field of the same meaning. */
const MEMBERS: readonly [string, (token: Token, position: number) => unknown][] = [
  ['term', (token) => token.term],
  ['position', (_, position) => position],
  ['positionIncrement', (token) => token.posInc],
  ['positionLength', (token) => token.posLen],
  ['startOffset', (token) => token.startOffset],
  ['endOffset', (token) => token.endOffset],
  ['type', (token) => token.type],
  ['keyword', (token) => token.keyword],
];

/** @throws ApiError script_exception: syntax that is not known here, with its place */
export function compileTokenPredicate(source: string): TokenPredicate {
  const script = compileScript(source, { token: { kind: 'object', members: Object.fromEntries(MEMBERS.map(([name]) => [name, true])) } });
  return (token, position) => {
    const view = { fields: Object.fromEntries(MEMBERS.map(([name, read]) => [name, read(token, position)])) };
    return script.run({ token: view }) === true;
  };
}
