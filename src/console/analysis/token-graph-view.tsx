// Draws the graph of a token stream.
import type { JSX } from 'preact';
import type { Token } from './chain.ts';
import { arrowText, branchingPart, type GraphArrow, tokenGraph } from './token-graph.ts';

const CHAR_PX = 8;
const ROW_PX = 34;
const NODE_PX = 11;
const TOP_PX = 26;
/** Horizontal length of the bends of arrows that leave the line of the nodes. */
const BEND_PX = 14;

/** The part in which tokens are more than a chain; nothing if there is none. @param different  tokens that another analyzer does not have; null without one */
export function TokenGraphView({
  tokens,
  different,
}: {
  readonly tokens: readonly Token[];
  readonly different: ReadonlySet<Token> | null;
}): JSX.Element | null {
  const part = branchingPart(tokens);
  if (part.length === 0) return null;
  const graph = tokenGraph(part);
  if (graph === null) return <p class="muted small">The graph has too many tokens to be drawn.</p>;
  const xs = [NODE_PX + 2];
  for (const gap of graph.gaps) xs.push(xs[xs.length - 1] + gap * CHAR_PX + 2 * NODE_PX);
  const width = xs[xs.length - 1] + NODE_PX + 2;
  const height = TOP_PX + (graph.rows - 1) * ROW_PX + NODE_PX + 8;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="token-graph" aria-label="Graph of the tokens" tabIndex={0}>
      <svg width={width} height={height} role="img" aria-label={graph.arrows.map(arrowText).join(', ')}>
        {graph.arrows.map((arrow, i) => (
          <Arrow key={i} arrow={arrow} x1={xs[arrow.from]} x2={xs[arrow.to]} isDifferent={different?.has(arrow.token) ?? false} />
        ))}
        {graph.positions.map((position, node) => (
          <g key={position} class="node">
            <circle cx={xs[node]} cy={TOP_PX} r={NODE_PX} />
            <text x={xs[node]} y={TOP_PX + 4}>
              {position}
            </text>
          </g>
        ))}
      </svg>
    </section>
  );
}

interface ArrowProps {
  readonly arrow: GraphArrow;
  readonly x1: number;
  readonly x2: number;
  readonly isDifferent: boolean;
}

function Arrow({ arrow: { token, row }, x1, x2, isDifferent }: ArrowProps): JSX.Element {
  const y = TOP_PX + row * ROW_PX;
  const [start, end] = [x1 + NODE_PX, x2 - NODE_PX];
  const line =
    row === 0
      ? `M${start} ${y}H${end}`
      : `M${x1} ${TOP_PX + NODE_PX}C${x1} ${y} ${x1} ${y} ${x1 + BEND_PX} ${y}H${x2 - BEND_PX}C${x2} ${y} ${x2} ${y} ${x2} ${TOP_PX + NODE_PX + 6}`;
  const tip = row === 0 ? `M${end} ${y}l-6 -4v8z` : `M${x2} ${TOP_PX + NODE_PX}l-4 6h8z`;
  return (
    <g class={isDifferent ? 'arrow different' : 'arrow'}>
      <path class="line" d={line} />
      <path class="tip" d={tip} />
      <text x={(x1 + x2) / 2} y={y - 5}>
        {token.token}
      </text>
    </g>
  );
}
