// What a new password must be: length, and not one of those that every attacker tries first (NIST SP 800-63B §3.1.1.2).
import type { Fault } from './refused.ts';

const COMMON = new Set(
  `password password1 password12 password123 passw0rd p@ssw0rd 12345678 123456789 1234567890 87654321 11111111 00000000
  88888888 12341234 qwertyui qwerty12 qwerty123 qwertyuiop 1q2w3e4r 1qaz2wsx asdfghjk asdfasdf zxcvbnm1 abcd1234
  abcdefgh iloveyou sunshine princess football baseball superman starwars letmein1 trustno1 welcome1 changeme
  admin123 administrator computer internet michelle jennifer whatever gatehouse`.split(/\s+/),
);

export function passwordFaults(password: string): Fault[] {
  const message = faultOf(password);
  return message === null ? [] : [{ field: 'password', message }];
}

function faultOf(password: string): string | null {
  const length = [...password].length;
  if (length < 8) return 'a password has at least 8 characters';
  if (length > 200) return 'a password has at most 200 characters';
  if (COMMON.has(password.toLowerCase()) || new Set(password).size < 3)
    return 'this password is too easy to guess';
  return null;
}
