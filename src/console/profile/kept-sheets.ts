// The two requests of the profile page, which the browser keeps.
import { isString, keptCell } from '../cell.ts';

const FIRST = `POST _search
{
  "query": {
    "match_all": {}
  }
}
`;

export const profiledSheets = { a: keptCell('profile-a', FIRST, isString), b: keptCell('profile-b', '', isString) };
