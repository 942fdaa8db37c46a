// Rules for names of users and roles and for passwords, with the messages of Elasticsearch.

const MAX_NAME_LENGTH = 507;
const MIN_PASSWORD_LENGTH = 6;
/** Longer ones are not safer, and hashing reads all of them. */
const MAX_PASSWORD_LENGTH = 1024;

/** Null if the name may be given. */
export function nameProblem(kind: 'User' | 'Role', name: string): string | null {
  const isValid = name.length > 0 && name.length <= MAX_NAME_LENGTH && /^[\x20-\x7e]+$/.test(name) && name.trim() === name;
  return isValid
    ? null
    : `${kind} names must be at least 1 and no more than ${MAX_NAME_LENGTH} characters. They can contain alphanumeric characters (a-z, A-Z, 0-9), spaces, punctuation, and printable symbols in the Basic Latin (ASCII) block. Leading or trailing whitespace is not allowed.`;
}

/** Null if the name may be given. A user with a colon could never log in. */
export function userNameProblem(name: string): string | null {
  return name.includes(':')
    ? 'User names cannot contain a colon, which ends the name in HTTP Basic authentication.'
    : nameProblem('User', name);
}

/** Null if the password may be set. */
export function passwordProblem(password: string): string | null {
  if (password.length < MIN_PASSWORD_LENGTH) return `passwords must be at least [${MIN_PASSWORD_LENGTH}] characters long`;
  if (password.length > MAX_PASSWORD_LENGTH) return `passwords must be at most [${MAX_PASSWORD_LENGTH}] characters long`;
  return null;
}
