// Colours of command output: only on terminals, and not if NO_COLOR is set (no-color.org) or the terminal is dumb.

type Style = (text: string) => string;

export interface Paint {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
  readonly cyan: Style;
}

const style =
  (on: number, off: number): Style =>
  (text) =>
    `\u001b[${on}m${text}\u001b[${off}m`;
const plain: Style = (text) => text;

const COLOURED: Paint = {
  bold: style(1, 22),
  dim: style(2, 22),
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  cyan: style(36, 39),
};
const PLAIN: Paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** @param out  stream that the text goes to */
export function paintFor(out: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Paint {
  return out.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb' ? COLOURED : PLAIN;
}
