// The response of the authentication server. Only header fields are used; the status line and the body are ignored, as in nginx.

/** Fields that matter, latin1; null: absent. */
export interface AuthAnswer {
  /** null or OK: permitted; WAIT: ask again; anything else is shown to the client */
  status: string | null;
  server: string | null;
  port: string | null;
  user: string | null;
  pass: string | null;
  waitSeconds: number;
  errorCode: string;
}

const MAX_WAIT_SECONDS = 24 * 3600;
const LINE = /^([A-Za-z0-9][A-Za-z0-9-]*)(?::(.*))?$/s;

/** Bytes of the head, blank line included; -1 if it is incomplete. */
export function headEnd(received: Buffer): number {
  const ends = [received.indexOf('\r\n\r\n') + 4, received.indexOf('\n\n') + 2, received.indexOf('\n\r\n') + 3].filter((end) => end > 3);
  return ends.length === 0 ? -1 : Math.min(...ends);
}

/** @param head  latin1, up to the blank line. @returns null if a line is malformed */
export function parseAuthResponse(head: string): AuthAnswer | null {
  const answer: AuthAnswer = { status: null, server: null, port: null, user: null, pass: null, waitSeconds: 0, errorCode: '' };
  const [first, ...lines] = head.split('\n').map((line) => line.replace(/\r$/, ''));
  if (!first.startsWith('HTTP/')) lines.unshift(first);
  for (const line of lines) {
    if (line === '') break;
    if (line.includes('\r')) return null;
    const m = LINE.exec(line);
    if (!m) return null;
    setField(answer, m[1].toLowerCase(), trimSpaces(m[2] ?? ''));
  }
  return answer;
}

function setField(answer: AuthAnswer, name: string, value: string): void {
  switch (name) {
    case 'auth-status':
      answer.status = value;
      break;
    case 'auth-server':
      answer.server = value;
      break;
    case 'auth-port':
      answer.port = value;
      break;
    case 'auth-user':
      answer.user = value;
      break;
    case 'auth-pass':
      answer.pass = value;
      break;
    case 'auth-wait':
      if (/^\d{1,9}$/.test(value)) answer.waitSeconds = Math.min(Number(value), MAX_WAIT_SECONDS);
      break;
    case 'auth-error-code':
      answer.errorCode = value;
      break;
  }
}

function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === ' ') start++;
  while (end > start && text[end - 1] === ' ') end--;
  return text.slice(start, end);
}
