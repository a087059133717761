import type { MyFactors } from '#lib/management/account/my-factors.ts';

/** `add`: there is none. `phone`, `factor`: a code stood in for an app, or for a passkey. `codes`: few are left. */
export type Advice = 'add' | 'phone' | 'factor' | 'codes';

const FEW_CODES = 3;

type Known = Pick<MyFactors, 'maySetUp' | 'totps' | 'passkeys' | 'recoveryCodes' | 'codeUsedAt'>;

/** Once a factor was added or used after the code, it is not lost. */
export function adviceOn({ maySetUp, totps, passkeys, recoveryCodes, codeUsedAt }: Known): Advice | null {
  const factors = [...totps, ...passkeys];
  if (factors.length === 0) return maySetUp ? 'add' : null;
  const known = factors.flatMap(({ createdAt, lastUsedAt }) => [createdAt, lastUsedAt ?? createdAt]);
  const isLost = codeUsedAt !== null && known.every((at) => at < codeUsedAt);
  if (isLost && maySetUp) return totps.length > 0 ? 'phone' : 'factor';
  return recoveryCodes <= FEW_CODES ? 'codes' : null;
}
