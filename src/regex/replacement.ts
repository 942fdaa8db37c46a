import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import type { JavaPattern, Matcher } from './java-pattern.ts';

type Piece = { text: string } | { group: number } | { error: ApiError };

/**
 * A replacement string of java.util.regex: `$1`, `${name}`, `\$`. Parsed once; errors are thrown when it is applied, as in Java.
 * @throws ApiError when used: illegal_argument_exception, index_out_of_bounds_exception
 */
export class Replacement {
  readonly #pieces: Piece[] = [];

  constructor(source: string, pattern: JavaPattern) {
    let text = '';
    const flush = (): void => {
      if (text) this.#pieces.push({ text });
      text = '';
    };
    for (let i = 0; i < source.length; i++) {
      const char = source[i];
      if (char === '\\') {
        if (++i === source.length) {
          flush();
          this.#pieces.push({ error: illegalArgumentError('character to be escaped is missing') });
        } else text += source[i];
        continue;
      }
      if (char !== '$') {
        text += char;
        continue;
      }
      flush();
      const rest = source.slice(i + 1);
      const named = /^\{([A-Za-z][A-Za-z0-9]*)\}/.exec(rest);
      if (rest === '') {
        this.#pieces.push({ error: illegalArgumentError('Illegal group reference: group index is missing') });
      } else if (rest[0] === '{') {
        if (!named) this.#pieces.push({ error: illegalArgumentError("named capturing group is missing trailing '}'") });
        else {
          const group = pattern.groupNames.get(named[1]);
          this.#pieces.push(group === undefined ? { error: illegalArgumentError(`No group with name {${named[1]}}`) } : { group });
          i += named[0].length;
        }
      } else if (!/^\d/.test(rest)) this.#pieces.push({ error: illegalArgumentError('Illegal group reference') });
      else {
        // As many digits as still form the number of a group.
        let group = Number(rest[0]);
        i++;
        if (group > pattern.groupCount) this.#pieces.push({ error: noGroupError(group) });
        else {
          for (
            let next = source[i + 1];
            next >= '0' && next <= '9' && group * 10 + Number(next) <= pattern.groupCount;
            next = source[i + 1]
          ) {
            group = group * 10 + Number(next);
            i++;
          }
          this.#pieces.push({ group });
        }
      }
    }
    flush();
  }

  apply(matcher: Matcher): string {
    let out = '';
    for (const piece of this.#pieces) {
      if ('text' in piece) out += piece.text;
      else if ('group' in piece) out += matcher.group(piece.group) ?? '';
      else throw piece.error;
    }
    matcher.addReplacement(out.length);
    return out;
  }
}

function noGroupError(group: number): ApiError {
  return new ApiError('index_out_of_bounds_exception', 500, `No group ${group}`);
}
