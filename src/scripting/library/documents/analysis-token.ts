// The token that scripts of `condition` and `predicate_token_filter` examine.
import { defineClass } from '../../java/class-info.ts';

/** A token as a script sees it. */
export interface ScriptToken {
  readonly term: string;
  /** Absolute position of this token, from 0. */
  readonly position: number;
  readonly positionIncrement: number;
  readonly positionLength: number;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly type: string;
  readonly keyword: boolean;
}

/** The variable `token`, which shows one token after the other. */
export class TokenView {
  token: ScriptToken;
  constructor(token: ScriptToken) {
    this.token = token;
  }
}

defineClass('org.elasticsearch.analysis.common.AnalysisPredicateScript.Token', ['java.lang.Object'], {
  of: TokenView,
  javaName: 'org.elasticsearch.analysis.common.AnalysisPredicateScript$Token',
  members: {
    'CharSequence getTerm()': ({ token }: TokenView) => token.term,
    'int getPosition()': ({ token }: TokenView) => token.position,
    'int getPositionIncrement()': ({ token }: TokenView) => token.positionIncrement,
    'int getPositionLength()': ({ token }: TokenView) => token.positionLength,
    'int getStartOffset()': ({ token }: TokenView) => token.startOffset,
    'int getEndOffset()': ({ token }: TokenView) => token.endOffset,
    'String getType()': ({ token }: TokenView) => token.type,
    'boolean isKeyword()': ({ token }: TokenView) => token.keyword,
  },
});
