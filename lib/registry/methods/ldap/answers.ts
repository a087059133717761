// What a directory says to a bind: it is the person, it is not, or nothing that counts.
import { ownValue } from '#lib/kit/own-value.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';

/** `code`: of the result (RFC 4511 §A.1); `told`: its diagnostic text; `policy`: of the password policy control. */
export type BindAnswer = { code: number; told: string; policy: number | null };

export type BindVerdict =
  | { kind: 'bound' }
  /** `reason`: for the log */
  | { kind: 'refused'; reason: string }
  /** the password was right, and must be changed */
  | { kind: 'must-change'; reason: string }
  | { kind: 'no-verdict'; because: string };

/** Active Directory: `80090308: LdapErr: DSID-…, comment: AcceptSecurityContext error, data 52e, v4563`. */
const DATA = /\bdata ([0-9a-f]{1,8})\b/i;
const BY_DATA: Readonly<Record<string, BindVerdict>> = {
  '525': { kind: 'refused', reason: 'wrong' },
  '52e': { kind: 'refused', reason: 'wrong' },
  '530': { kind: 'refused', reason: 'not-at-this-hour' },
  '531': { kind: 'refused', reason: 'not-at-this-workstation' },
  '532': { kind: 'must-change', reason: 'password-expired' },
  '533': { kind: 'refused', reason: 'disabled' },
  '701': { kind: 'refused', reason: 'expired' },
  '773': { kind: 'must-change', reason: 'password-must-change' },
  '775': { kind: 'refused', reason: 'locked' },
};

/** draft-behera-ldap-password-policy §6.2. */
const EXPIRED = 0;
const LOCKED = 1;
const AFTER_RESET = 2;

const INVALID_CREDENTIALS = 49;
/** RFC 4511 §A.1, and 389 Directory Server: 19 is locked, 53 is disabled. */
const ABOUT_PERSON: Readonly<Record<number, string>> = {
  19: 'locked',
  32: 'wrong',
  34: 'wrong',
  48: 'wrong',
  49: 'wrong',
  50: 'disabled',
  53: 'disabled',
};
const NEEDS_TLS = [8, 13];

export function meaningOf({ code, told, policy }: BindAnswer): BindVerdict {
  if (code === 0)
    return policy === AFTER_RESET
      ? { kind: 'must-change', reason: 'password-must-change' }
      : { kind: 'bound' };
  const data = code === INVALID_CREDENTIALS ? DATA.exec(told)?.[1]?.toLowerCase() : undefined;
  const known = data === undefined ? undefined : ownValue(BY_DATA, data);
  if (known) return known;
  if (code === INVALID_CREDENTIALS && policy === EXPIRED)
    return { kind: 'must-change', reason: 'password-expired' };
  if (code === INVALID_CREDENTIALS && policy === LOCKED) return { kind: 'refused', reason: 'locked' };
  const reason = ABOUT_PERSON[code];
  return reason ? { kind: 'refused', reason } : { kind: 'no-verdict', because: inWords(code) };
}

/** The result of a request as a reason for the log; the text of the server may name people, so it is left out. */
function inWords(code: number): string {
  if (NEEDS_TLS.includes(code)) return `it wants TLS (result ${code})`;
  if (code === 10) return 'it refers to another server, and referrals are never followed';
  return `it answered with result ${code}`;
}

/** It is too busy, or going down: another server may answer. */
const isAway = (code: number): boolean => code === 51 || code === 52;

/** A result that says what is wrong with our request. */
export class WrongResult extends Error {
  override name = 'WrongResult';
  readonly code: number;
  readonly told: string;
  constructor(code: number, told: string) {
    super(inWords(code));
    this.code = code;
    this.told = told;
  }
}

/** No answer that counts: the next server is asked. */
export const isSilent = (error: unknown): boolean =>
  error instanceof OutboundFailed || (error instanceof WrongResult && isAway(error.code));
