// Commands of POP3 and SMTP: a line with a name and arguments between spaces.

export interface LineCommand {
  /** in upper case */
  name: string;
  args: string[];
  /** from the name to the last argument, as sent */
  text: string;
}

export interface LineRules {
  names: ReadonlySet<string>;
  maxArgs: number;
  /** commands whose argument is the rest of the line, spaces included */
  wholeRest: ReadonlySet<string>;
}

/** @param line  without its end. @returns null if it is malformed */
export function parseLineCommand(line: string, rules: LineRules): LineCommand | null {
  if (line.includes('\r')) return null;
  const space = line.indexOf(' ');
  const name = (space < 0 ? line : line.slice(0, space)).toUpperCase();
  if (!rules.names.has(name)) return null;
  const args = space < 0 ? [] : rules.wholeRest.has(name) ? rest(line, space) : words(line.slice(space));
  return args.length > rules.maxArgs ? null : { name, args, text: withoutFinalSpaces(line) };
}

/** A client's response to a prompt: the line up to the first space. @returns null if it is malformed */
export const parseAnswer = (line: string): string | null => (line.includes('\r') ? null : (line.split(' ', 1)[0] ?? null));

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

function rest(line: string, from: number): string[] {
  let at = from;
  while (line[at] === ' ') at++;
  return at === line.length ? [] : [line.slice(at)];
}

function withoutFinalSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  return line.slice(0, end);
}
