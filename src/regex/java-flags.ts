import { illegalArgumentError } from '../errors/catalog.ts';
import { JavaPattern } from './java-pattern.ts';
import { FLAG } from './syntax.ts';

/** `CASE_INSENSITIVE|COMMENTS`. @throws ApiError illegal_argument_exception: an unknown name */
function regexFlags(text: string | undefined): number {
  let flags = 0;
  for (const name of text?.split('|') ?? []) {
    if (name === '') continue;
    const key = name.toUpperCase();
    if (key === 'UNICODE_CHAR_CLASS') flags |= FLAG.UNICODE_CHARACTER_CLASS | FLAG.UNICODE_CASE;
    else if (!Object.hasOwn(FLAG, key)) throw illegalArgumentError(`Unknown regex flag [${key}]`);
    else flags |= FLAG[key as keyof typeof FLAG];
  }
  return flags;
}

/** @throws ApiError pattern_syntax_exception, illegal_argument_exception */
export function compilePattern(source: string, flags?: string): JavaPattern {
  return new JavaPattern(source, regexFlags(flags));
}
