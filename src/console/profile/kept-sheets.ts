// The two requests of the profile page, kept in browser storage.
import { isString, keptCell } from '../cell.ts';

const FIRST = `POST _search
{
  "query": {
    "match_all": {}
  }
}
`;

export const profiledSheets = { a: keptCell('profile-a', FIRST, isString), b: keptCell('profile-b', '', isString) };
