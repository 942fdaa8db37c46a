// The package has no types of its own.
declare module 'unix-crypt-td-js' {
  /**
   * Traditional DES crypt(3) of the first 8 bytes.
   * @param salt  two characters of `./0-9A-Za-z`
   * @returns salt and hash, 13 characters
   */
  export default function unixCryptTD(password: readonly number[], salt: string): string;
}
